"""Simulated ratings for power and precision."""
