"""ratings.csv, with each answer checked against the study."""
