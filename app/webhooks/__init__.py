"""Signed messages to other programs when something happens in a study."""
