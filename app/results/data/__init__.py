"""Data for the results: data frames and coverage."""
