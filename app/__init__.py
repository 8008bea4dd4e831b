"""Attune: human empathy-rating studies, from the spreadsheet to the estimates a reviewer accepts."""

__version__ = "0.1.0"
