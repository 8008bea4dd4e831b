"""What the answers of a study say: estimates, charts, reports and downloads."""
