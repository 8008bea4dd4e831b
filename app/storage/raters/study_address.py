"""The study in a rater's address: identified by its token, or by its slug if someone typed that.

The slug of a draft opens nothing, because slugs can be guessed: only members of the study can see that the draft
exists. Its token, which only they can have passed on, is answered with "not open yet".
"""

from __future__ import annotations

# Expects :slug, the part of the address after /s/.
STUDY_OF_ADDRESS = """
    (SELECT id FROM studies WHERE rater_token = :slug
     UNION ALL SELECT id FROM studies WHERE slug = :slug AND status <> 'draft' LIMIT 1)
"""
