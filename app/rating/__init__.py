"""A rater's session from arrival to completion."""
