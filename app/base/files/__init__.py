"""Tables in files (CSV, JSON lines, Excel, Parquet) and YAML with line numbers."""
