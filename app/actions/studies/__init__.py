"""Create, check, open and close studies."""
