"""Proportions: intervals, tests of counts, and differences between shares."""
