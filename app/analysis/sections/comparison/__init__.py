"""Comparisons of sources on a scale."""
