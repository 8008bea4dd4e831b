"""Sources against each other: means, shares, ranks."""
