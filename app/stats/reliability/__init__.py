"""Variance components and the reliability of ratings."""
