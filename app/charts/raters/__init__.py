"""Charts of raters and judges: agreement, pairs and pace."""
