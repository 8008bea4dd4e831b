"""Ratings collected elsewhere: a spreadsheet in any shape to one row per answer, checked as ratings.csv is."""
