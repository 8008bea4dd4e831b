"""Measurements, each a command that prints ratios against a baseline in the same run."""
