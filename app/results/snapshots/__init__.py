"""Results kept under a name, at an address to cite."""
