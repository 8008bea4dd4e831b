"""The results pages and downloads of a study."""
