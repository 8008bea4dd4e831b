"""Read a study into pandas, from a study folder or from a server, and compute single coefficients.

>>> import attune_studies
>>> sorted(attune_studies.__all__)
['ServedStudy', 'Study', 'coefficients', 'ratings_of', 'read', 'references']
"""

from __future__ import annotations

from attune_studies import coefficients
from attune_studies.coefficients import ratings_of, references
from attune_studies.server import ServedStudy
from attune_studies.study import Study, read

__all__ = ["ServedStudy", "Study", "coefficients", "ratings_of", "read", "references"]
