"""Estimates of stored studies: computed in separate processes, kept, and computed again when the data change."""
