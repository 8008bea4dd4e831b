"""Model judges beside people."""
