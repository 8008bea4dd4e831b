"""The connection, schema migrations, bulk copies, keys and a replica."""
