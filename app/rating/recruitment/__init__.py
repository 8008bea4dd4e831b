"""Raters: invitations, platforms and the list of raters."""
