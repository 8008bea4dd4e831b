"""Trials, the seats on them, and the assignments of raters."""
