"""Statistics of ratings: pure functions that take arrays and return a Result, independent of studies and pages."""
