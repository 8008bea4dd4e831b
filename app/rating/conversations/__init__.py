"""Conversations that raters have with a partner, before the questions about them."""
