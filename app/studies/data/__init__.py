"""The answers of a study, read as arrays and as frames."""
