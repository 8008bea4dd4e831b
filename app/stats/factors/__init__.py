"""Effects of design factors and of source attributes, and their interactions."""
