"""The sections of the results: their tables, columns and contexts."""
