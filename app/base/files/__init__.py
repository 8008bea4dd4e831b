"""Tables in files: CSV, JSON lines, spreadsheets."""
