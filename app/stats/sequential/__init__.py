"""Group-sequential tests: looks at the data before the end that keep the error rate."""
