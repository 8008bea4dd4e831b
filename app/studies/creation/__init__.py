"""Create studies from templates, copies and uploaded files."""
