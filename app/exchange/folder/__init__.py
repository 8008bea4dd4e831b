"""A study folder: read as a whole, written as a whole."""
