"""Folders, private files, locks and the socket of the embedded server."""
