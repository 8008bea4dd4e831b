"""The stored answers of a study as frames, arrays and counts."""
