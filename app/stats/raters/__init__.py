"""How each rater rates, and whether a model judge can stand in for one."""
