"""Templates, assets and words of the pages."""
