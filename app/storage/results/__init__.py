"""What the results read: frames and coverage."""
