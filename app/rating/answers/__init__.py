"""What raters submit: ratings, practice answers, checks and skips."""
