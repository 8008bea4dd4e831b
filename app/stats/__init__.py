"""Statistics of ratings: pure functions, arrays in, a Result out. Knows nothing of studies, pages or databases."""
