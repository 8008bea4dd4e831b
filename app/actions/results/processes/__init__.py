"""What runs in side processes: reports, charts and downloads."""
