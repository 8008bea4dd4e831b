"""Commands that compute and write: plans, estimates, reports and registrations."""
