"""Spreadsheets with a study's texts, or with ratings collected elsewhere, in any shape."""
