"""Raters one by one."""
