"""Filters: which answers a report uses."""
