"""Cluster-robust regression, correlation, covariates and slopes over turns."""
