"""ratings.csv: each answer checked against the study."""
