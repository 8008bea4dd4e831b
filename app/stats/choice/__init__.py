"""Forced choices: shares, strengths, ties and position."""
