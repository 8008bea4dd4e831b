"""Effects of what a study varies: design factors, attributes of sources, and their interactions."""
