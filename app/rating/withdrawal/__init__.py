"""Raters who leave and have their answers deleted, and other deletions that outlive a restored backup."""
