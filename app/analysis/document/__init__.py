"""Documents about a study: the report and the preregistration, as sections that every file format renders."""
