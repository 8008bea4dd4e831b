"""Help: the Markdown pages of `docs/`, rendered on request with the product's own layout, for everyone."""
