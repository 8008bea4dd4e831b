"""Charts of a planned study."""
