"""Study leads: accounts, sessions, sign-in attempts."""
