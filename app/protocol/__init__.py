"""The study protocol: the contents of study.yaml."""
