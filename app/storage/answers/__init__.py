"""What raters answer: ratings, practice, checks, skips."""
