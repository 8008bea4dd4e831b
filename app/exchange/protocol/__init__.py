"""study.yaml: read, checked, written."""
