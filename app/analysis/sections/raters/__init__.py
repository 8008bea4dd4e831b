"""Estimates for individual raters."""
