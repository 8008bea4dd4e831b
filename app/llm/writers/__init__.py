"""Prompt files of models that write responses."""
