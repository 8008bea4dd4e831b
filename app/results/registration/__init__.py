"""Preregistration: the plan frozen with a time and a hash, and compared with what was done."""
