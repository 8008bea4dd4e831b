"""Sources against each other on a scale."""
