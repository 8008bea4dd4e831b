"""Many tests at once: Holm over the family that was declared before the data, Benjamini-Hochberg over the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

Adjustment = Literal["holm", "benjamini_hochberg"]
_STATSMODELS: dict[Adjustment, str] = {"holm": "holm", "benjamini_hochberg": "fdr_bh"}


def adjusted(p_values: Sequence[float | None], method: Adjustment) -> list[float | None]:
    """Adjusted p-values in the same order; a test without a p-value stays without one and does not count.

    `holm` (1979, Scand. J. Stat. 6:65) holds the chance of one false finding in the family; `benjamini_hochberg`
    (1995, J. R. Stat. Soc. B 57:289) holds the expected share of false findings among the findings. By statsmodels.

    >>> adjusted([0.01, None, 0.04], "holm")
    [0.02, None, 0.04]
    """
    from statsmodels.stats.multitest import multipletests

    tested = np.array([p for p in p_values if p is not None], dtype=np.float64)
    if not len(tested):
        return [None] * len(p_values)
    found = iter(multipletests(tested, method=_STATSMODELS[method])[1].tolist())
    return [None if p is None else float(next(found)) for p in p_values]
