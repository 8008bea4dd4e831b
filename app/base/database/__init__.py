"""The connection, schema migrations, bulk copies and backups."""
