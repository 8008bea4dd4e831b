"""The same comparison for every pair of sources, with p-values adjusted over all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from app.stats.core.multiplicity import adjusted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.stats.core.result import Result


@dataclass(frozen=True, slots=True)
class PairResult:
    """One pair: `result` compares `source` with `reference`; `p_adjusted` is Holm-adjusted over all pairs."""

    source: str
    reference: str
    result: Result
    p_adjusted: float | None


def all_pairs(sources: Sequence[str], compare: Callable[[str, str], Result]) -> list[PairResult]:
    """Return `compare(source, reference)` for each pair, the later source of the sequence against the earlier one.

    All pairwise comparisons form one family (Hothorn, Bretz and Westfall 2008, Biom. J. 50:346); Holm's step-down
    adjustment controls its family-wise error rate under any correlation.
    """
    pairs = [(later, earlier) for earlier, later in combinations(sources, 2)]
    results = [compare(*pair) for pair in pairs]
    p_values = adjusted([result.p_value for result in results], "holm")
    return [
        PairResult(source, reference, result, p)
        for (source, reference), result, p in zip(pairs, results, p_values, strict=True)
    ]
