"""A study's data in the form that all sections of the report use."""
