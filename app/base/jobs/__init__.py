"""The queue of background jobs in PostgreSQL, and the worker that does them."""
