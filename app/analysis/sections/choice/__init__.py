"""Forced choices."""
