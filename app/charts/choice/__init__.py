"""Charts of forced choices."""
