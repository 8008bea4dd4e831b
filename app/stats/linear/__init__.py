"""Linear mixed models, regression and correlation."""
