"""Webhooks: who may be told, what is sent, and how."""
