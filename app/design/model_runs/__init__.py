"""Runs of language models: prompts, how requests end, and differences between texts."""
