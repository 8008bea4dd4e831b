"""Study folders, read and written as a whole."""
