"""Commands that create studies and fill them."""
