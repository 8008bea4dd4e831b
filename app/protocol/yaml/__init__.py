"""study.yaml: reading, checking and writing."""
