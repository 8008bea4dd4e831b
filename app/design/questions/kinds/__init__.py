"""The kinds of question, one module each."""
