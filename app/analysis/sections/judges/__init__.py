"""Model judges compared with human raters."""
