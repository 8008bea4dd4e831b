"""The lead's pages."""
