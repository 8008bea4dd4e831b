"""Study leads: how they sign in, what they may do, and the log of what they did."""
