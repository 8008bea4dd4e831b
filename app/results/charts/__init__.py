"""Estimates as Vega-Lite specifications, image files and tables."""
