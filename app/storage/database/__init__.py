"""The connection, the schema's version, bulk copies and backups."""
