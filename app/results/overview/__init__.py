"""A running study on one page: its progress, its links, and opening and closing it."""
