"""A model asked about many trials: queued, worked on request by request, stopped and continued."""
