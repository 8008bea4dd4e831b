"""The answers of a study as files: CSV, Excel, Parquet, Psych-DS, and scripts for R and SPSS."""
