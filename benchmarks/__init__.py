"""Benchmarks: each is a command that prints ratios to a baseline measured in the same run."""
