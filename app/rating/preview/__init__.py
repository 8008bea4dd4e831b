"""A draft as its raters will see it; nothing is stored."""
