"""Measures of the texts that are rated."""
