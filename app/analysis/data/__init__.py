"""A study's data as every section of the report takes them."""
