"""study.yaml: its parts, the checks between them, and what follows for each rater."""
