"""Kumar et al. 2025: three experts and three models on 21 dimensions of empathic communication."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from app.actions.reproduction.pack import Pack, Published
from app.exchange.published.kumar2025 import EXPERTS, write_kumar
from app.exchange.published.plain_files import read_rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TABLE = "annotations/table_kappa.csv"
# Two decimals are printed.
TOLERANCE = 0.0051


def _published(data: Path) -> Sequence[Published]:
    """The weighted kappas of each pair of experts, from the authors' own table."""
    rows = [(sorted(ast.literal_eval(row["Annotator Pair"])), row) for row in read_rows(data / TABLE)]
    return [
        Published(
            f"Weighted kappa, {row['Dimension'].replace('_', ' ')}, {' and '.join(pair)}",
            float(row["Weighted Cohen's Kappa"]),
            TOLERANCE,
            TABLE,
            "cohen_kappa_quadratic",
            row["Dimension"],
            {"raters": pair},
            # The authors weight by the categories that the two raters used; where that differs, it is the last record.
            is_last=True,
        )
        for pair, row in rows
        if set(pair) <= set(EXPERTS)
    ]


KUMAR = Pack(
    "kumar2025",
    "Kumar et al. (2025), When LLMs are reliable for judging empathic communication, doi:10.5281/zenodo.17230987",
    "the folder of the authors' replication data, with annotations/ and original_data/",
    write_kumar,
    _published,
)
