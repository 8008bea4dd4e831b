"""A Methods section or a preregistration as text, read into guesses about a study that a lead confirms one by one."""
