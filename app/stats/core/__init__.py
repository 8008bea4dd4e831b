"""Shared by all statistics: results, arrays, clusters and intervals."""
