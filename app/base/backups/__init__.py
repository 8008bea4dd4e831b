"""Backups of a whole database, and their checks."""
