"""Raters: arrival, rating sessions, invitations, withdrawal."""
