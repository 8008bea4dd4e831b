"""Documents of a study: its report and its registration, as files."""
