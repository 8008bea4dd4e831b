"""Models that write responses: prompt files, generated texts, and what a person decides about them."""
