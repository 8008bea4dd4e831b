"""A rater's way from the link to the receipt, and what their lead does about it: recruitment, review, simulation."""
