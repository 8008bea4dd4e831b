"""The answers to one question, by group of raters, by source and by split."""
