"""The report: its estimates, wording, recipes and tables."""
