"""Study leads: accounts, sessions and sign-in attempts."""
