"""What the pages of a rater ask, and in which order."""
