"""Pages of language models: judges, generated responses, and how their runs are started and stopped."""
