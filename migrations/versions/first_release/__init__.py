"""The tables of the first release, in the groups of `app/schema.py`. One function creates one table."""
