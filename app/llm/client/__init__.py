"""Requests to an OpenAI-compatible server: format of the answers, budget and retries; no database and no web."""
