"""The report: estimates, their wording, recipes and tables."""
