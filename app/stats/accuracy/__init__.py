"""How often raters answer correctly, and how well they distinguish sources."""
