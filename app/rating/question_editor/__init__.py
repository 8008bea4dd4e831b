"""The questions of a study, edited on the rating page itself."""
