"""The web pages that show the estimates of a study."""
