"""The report: its estimates, sentences, primary contrasts, recipes and tables."""
