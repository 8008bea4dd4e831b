"""How often raters are right, and how well they tell sources apart."""
