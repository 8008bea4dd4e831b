"""Reports, charts and downloads."""
