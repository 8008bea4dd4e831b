"""Measures of the rated texts."""
