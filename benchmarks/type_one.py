"""Type I error of the primary tests of the study templates, each in its own design without an effect.

`nice -n 15 python -m benchmarks.type_one --write docs/statistics/coverage.md` replaces the table of the documentation.
Only the primary test itself is computed, in one process.
"""

import os

# small matrices: synchronizing several threads takes longer than computing on one
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np

from benchmarks.sections import replace_section
from benchmarks.simulated_nulls import (
    N_ITEMS,
    N_ITEMS_RATED_ONCE,
    NULLS,
    PUBLISHED,
    SD_MODEL,
    SLOW,
    min_f,
    models_of_two_kinds,
    ranks_of_responders,
    responders,
)

N_STUDIES = 1000
ALPHA = 0.05
LOWEST, HIGHEST = 0.03, 0.07
HEADING = "## Type I error of the primary tests of the templates"


@dataclass(frozen=True, slots=True)
class Rejected:
    """How many of the studies that had a test rejected."""

    template: str
    test: str
    n_rejected: int
    n_tested: int

    @property
    def share(self) -> float:
        return self.n_rejected / self.n_tested

    @property
    def is_kept(self) -> bool:
        """Whether the share is that of a test that keeps its level."""
        return LOWEST <= self.share <= HIGHEST


def rejected(template: str, test: str, n_studies: int = N_STUDIES) -> Rejected:
    """Count the rejections in simulated studies; the seed follows from the names, so rows do not depend on others."""
    rng = np.random.default_rng(crc32(f"{template} {test}".encode()))
    found = [NULLS[template][test](rng).p_value for _ in range(n_studies)]
    tested = [p for p in found if p is not None]
    return Rejected(template, test, sum(p < ALPHA for p in tested), len(tested))


def _row(one: Rejected) -> str:
    name = one.test.removeprefix(PUBLISHED)
    kind = "as published" if name != one.test else "primary"
    return f"| `{one.template}` | `{name}` | {kind} | {f'{one.share:.3f}'.removeprefix('0')} | {one.n_tested} |"


TEXT = """{heading}

How often the primary test of each template has p < .05 in {n:,} simulated studies without an effect ({half:,} for mixed
models). The design is the template's own: ratings per response, trials per rater, who sees what; with {items} items
({items_once} in `three-point`). Items and raters are drawn anew in each study; they differ in level and in what they
make of each source. The ten models of `reasoning-models` differ too (SD {models}; where all are alike, {alike}).
A test that keeps its level has .03 to .07; the Monte Carlo error of .05 is {error:.3f} ({more:.3f} for mixed models).
A test *as published* is that of the paper: the report shows it beside the primary result, and it decides nothing.

Created by `python -m benchmarks.type_one --write docs/statistics/coverage.md`.

| Template | Test | Role | p < .05 | Studies |
| --- | --- | --- | --- | --- |
{rows}

`lend-an-ear` and `emotion-cause` (agreement), `warmth-reliability` (share of correct verdicts), `empathic-accuracy` and
`empathy-scale` (number of factors) have primary estimates without an effect to test.

The same for `responder-level` with fewer items, {n:,} studies each. The published test takes the items as given; min F'
takes items and responders as random.

| Items | `mean_difference_responders` (primary) | `mann_whitney` (as published) |
| --- | --- | --- |
{by_items}
"""


# numbers of items of the studies of few responders
ITEMS = (4, 8, 12, 40)


def rejected_by_items(n_items: int, n_studies: int) -> str:
    """Return the row of `responder-level` with this number of items."""
    shares = []
    for test in (min_f, ranks_of_responders):
        rng, null = np.random.default_rng(n_items), responders(n_items, test)
        found = [null(rng).p_value for _ in range(n_studies)]
        shares.append(sum(p is not None and p < ALPHA for p in found) / n_studies)
    return f"| {n_items} | {' | '.join(f'{share:.3f}'.removeprefix('0') for share in shares)} |"


def rejected_if_alike(n_studies: int) -> str:
    """Return the share for `reasoning-models` whose models do not differ at all."""
    rng, null = np.random.default_rng(0), models_of_two_kinds(0.0)
    found = [null(rng).p_value for _ in range(n_studies)]
    return f"{sum(p is not None and p < ALPHA for p in found) / n_studies:.3f}".removeprefix("0")


def section(rows: list[Rejected], by_items: list[str], n_studies: int) -> str:
    """Return the section of the page."""
    error = (ALPHA * (1 - ALPHA) / n_studies) ** 0.5
    return TEXT.format(
        heading=HEADING,
        n=n_studies,
        half=n_studies // 2,
        items=N_ITEMS,
        items_once=N_ITEMS_RATED_ONCE,
        error=error,
        models=SD_MODEL,
        alike=rejected_if_alike(n_studies),
        more=2**0.5 * error,
        rows="\n".join(map(_row, rows)),
        by_items="\n".join(by_items),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=N_STUDIES)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    rows = []
    for template, tests in NULLS.items():
        for test in tests if options.only in template else ():
            rows.append(rejected(template, test, options.studies // 2 if test in SLOW else options.studies))
            print(_row(rows[-1]), flush=True)
    by_items = []
    for n_items in ITEMS if options.only in "responder-level" else ():
        by_items.append(rejected_by_items(n_items, options.studies))
        print(by_items[-1], flush=True)
    if options.write:
        replace_section(options.write, HEADING, section(rows, by_items, options.studies))


if __name__ == "__main__":
    main()
