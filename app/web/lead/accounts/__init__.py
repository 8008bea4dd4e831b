"""Accounts, sign-in, invitations and tokens."""
