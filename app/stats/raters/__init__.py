"""Rating behaviour of individual raters, and whether a model judge can replace a rater."""
