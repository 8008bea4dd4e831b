"""Runs of language models and their requests."""
