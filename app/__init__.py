"""Attune: human empathy-rating studies, from the spreadsheet to the figures a reviewer accepts."""
