"""Scores from several questions and their reliability."""
