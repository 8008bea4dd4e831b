"""The tables of the first release, in the groups of `app/storage/tables`. One function creates one table."""
