"""Forced choices: preference shares, strengths of sources, ties, and position effects."""
