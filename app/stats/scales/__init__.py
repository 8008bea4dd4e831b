"""Composite scores from several questions, and their reliability."""
