"""The cumulative link mixed model for ordered scales."""
