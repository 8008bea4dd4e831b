"""PostgreSQL: tables, queries and data frames. This package does not depend on the web layer."""
