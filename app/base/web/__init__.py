"""HTTP, forms and HTML. Request handlers do not use the database library directly."""
