"""Webhooks of studies: addresses, and deliveries to them."""
