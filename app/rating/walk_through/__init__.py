"""A lead walks through a draft as a rater: the real pages on a copy, of which nothing is kept."""
