"""Estimates in words: the names of the statistics, formatted numbers, and what each estimate says."""
