"""Comparisons of sources: means, ranks, pools of raters, and change over time."""
