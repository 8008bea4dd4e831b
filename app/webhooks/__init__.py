"""Webhooks: allowed addresses, subscriptions, and delivery."""
