"""Covariates of responses and of ratings."""
