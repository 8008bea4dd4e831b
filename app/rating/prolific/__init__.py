"""Approvals on Prolific through its API."""
