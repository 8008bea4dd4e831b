"""The study in a rater's address: identified by its token, or by its slug if someone typed that."""

from __future__ import annotations

# Expects :slug, the part of the address after /s/.
STUDY_OF_ADDRESS = """
    (SELECT id FROM studies WHERE rater_token = :slug UNION ALL SELECT id FROM studies WHERE slug = :slug LIMIT 1)
"""
