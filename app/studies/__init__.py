"""Studies as their leads define and share them, stored and as files."""
