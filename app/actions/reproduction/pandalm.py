"""PandaLM: three annotators compare pairs of instruction-tuned models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.reproduction.pack import Pack, Published
from app.exchange.published.pandalm import write_pandalm

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

KAPPAS = {(1, 2): 0.85, (1, 3): 0.88, (2, 3): 0.86}
TOLERANCE = 0.005


def _published(_data: Path) -> Sequence[Published]:
    return [
        Published(
            f"Cohen's kappa, annotators {one} and {other}",
            value,
            TOLERANCE,
            "README of the repository, test data",
            "cohen_kappa",
            "preference",
            {"raters": [f"annotator{one}", f"annotator{other}"]},
        )
        for (one, other), value in KAPPAS.items()
    ]


PANDALM = Pack(
    "pandalm",
    "Wang et al. (2024), PandaLM, ICLR 2024, arXiv:2306.05087",
    "testset-v1.json, in the folder data of the authors' repository WeOpenML/PandaLM",
    write_pandalm,
    _published,
)
