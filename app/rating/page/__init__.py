"""The content of a rating page: its texts, questions and options, for HTML pages and plain text."""
