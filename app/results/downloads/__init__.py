"""The answers of a study in other shapes: wide, Excel, Parquet, Psych-DS, and scripts for R and SPSS."""
