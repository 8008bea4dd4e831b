"""How far raters agree."""
