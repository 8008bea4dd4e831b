"""What is checked before a study opens to raters."""
