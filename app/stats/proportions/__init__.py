"""Proportions: confidence intervals, tests of counts, and differences."""
