"""How raters answered, as their lead reads it: progress, flags, and who is included."""
