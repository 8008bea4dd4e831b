"""A rating session from arrival to completion."""
