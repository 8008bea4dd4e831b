"""Separate processes for heavy work, and bounds on what they may use."""
