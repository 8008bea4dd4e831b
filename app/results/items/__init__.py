"""The items of a study as their lead reads, searches and retires them."""
