"""The parts of a protocol, each declared and validated alone."""
