"""Published studies computed again: their data, their protocol, and the results as printed."""
