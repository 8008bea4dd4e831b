"""HTTP, forms and HTML: the edge. No handler touches the database library."""
