"""Replies of models to raters, made while a rater waits for them."""
