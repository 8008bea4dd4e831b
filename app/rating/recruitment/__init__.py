"""Personal links, messages to raters, and files for recruitment platforms."""
