"""PostgreSQL: tables, queries and frames. Nothing here knows of the web."""
