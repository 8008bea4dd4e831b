"""The sections of the report, one file or folder per section."""
