"""Simulated raters."""
