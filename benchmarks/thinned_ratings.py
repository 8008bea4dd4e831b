"""Real ratings of which most are left out: what a judge gives back, and whether the interval holds the full value.

`python -m benchmarks.thinned_ratings KUMAR PANDALM --write docs/statistics/coverage.md`, where the folder KUMAR has the
`annotations` of Kumar et al. (2025), three experts and three language models on 21 dimensions of 200 conversations, and
the file PANDALM is testset-v1.json of Wang et al. (2024), the choices of three annotators in 999 pairs of responses.
"""

import os

# small matrices: synchronizing several threads takes longer than computing on one
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from app.results.reproduction.kumar2025 import write_kumar
from app.stats.arrays import Floats
from app.stats.comparison.prediction_powered import prediction_powered
from benchmarks.sections import replace_section

HEADING = "## Real ratings, thinned"
JUDGES = {"gpt": "GPT-4o", "claude": "Claude 3.7", "gemini": "Gemini 2.5"}
EXPERTS = ["expert1", "expert2", "expert3"]
THIRD, LONGER = "PandaLM: third annotator", "PandaLM: longer response"
SHARE, N_DRAWS = 0.3, 200
TEXT = """{heading}

Three experts and three language models rated 21 dimensions of {n_items} conversations (Kumar et al. 2025); the mean of
the experts is one rating of a conversation here. In each of {n_draws} draws, the experts' ratings of a random
{share:.0%} of the conversations or pairs are kept. *Holds the full value*: share of the intervals of judge and people
that include the mean of all expert ratings; above .95, because the conversations drawn are a part of those that the
value is about. *Width* and *worth* are relative to people alone; *most* and *least* are of the 21 dimensions, or of the
pairs of models.

Two of three annotators chose between the responses of two models to 999 instructions (PandaLM, Wang et al. 2024), for
{n_pairs} pairs of models. The data have no answers of model judges: the third annotator stands for a good one, and the
longer response for a bad one.

Created by `python -m benchmarks.thinned_ratings KUMAR PANDALM --write docs/statistics/coverage.md`.

| Judge | Holds the full value | Width | Worth | Most | Least |
| --- | --- | --- | --- | --- | --- |
{rows}
"""


@dataclass(frozen=True, eq=False)
class Dimension:
    """The mean of the experts, and the ratings of each judge (nan: none), for the same conversations."""

    people: Floats
    judges: dict[str, Floats]


def dimensions(raw: Path) -> Iterator[Dimension]:
    """Yield the dimensions of every set of conversations that all experts rated."""
    with TemporaryDirectory() as folder:
        study = write_kumar(Path(folder) / "kumar", raw)
        table = pd.read_csv(study / "ratings.csv", usecols=["question", "rater", "item", "value"])
    for _, rated in table.groupby("question"):
        wide = rated.pivot_table(index="item", columns="rater", values="value")
        known = wide.dropna(subset=EXPERTS)
        yield Dimension(
            known[EXPERTS].mean(axis=1).to_numpy(), {name: known[key].to_numpy() for key, name in JUDGES.items()}
        )


def pairs_of_models(file: Path) -> Iterator[Dimension]:
    """Yield the pairs of models: 1 for the first response, .5 for a tie; the judges are a person, and the length."""
    table = pd.DataFrame(json.loads(file.read_text(encoding="utf-8")))
    chosen = table[[f"annotator{rater}" for rater in (1, 2, 3)]].replace({0: 0.5, 2: 0.0}).astype(float)
    first, second = (table[f"response{number}"].astype(str).str.len() for number in (1, 2))
    longer = np.select([first > second, first < second], [1.0, 0.0], 0.5)
    for rows in table.groupby("cmp_key").groups.values():
        here = chosen.loc[rows]
        said = {THIRD: here["annotator3"].to_numpy(), LONGER: longer[rows]}
        yield Dimension(here[["annotator1", "annotator2"]].mean(axis=1).to_numpy(), said)


def drawn(dimension: Dimension, judge: Floats, rng: np.random.Generator) -> tuple[bool, float, float]:
    """Return whether the interval of one draw holds the full value, its width, and that of people alone."""
    n = len(judge)
    kept = rng.permutation(n)[: round(SHARE * n)]
    found = prediction_powered(dimension.people[kept], unit=kept, rater=kept, judge=judge, item=np.arange(n))
    both, alone = found.combined.interval, found.people.interval
    if both is None or alone is None:
        return True, np.nan, np.nan
    return both.low <= dimension.people.mean() <= both.high, both.high - both.low, alone.high - alone.low


def row(judge: str, found: Sequence[Dimension]) -> str:
    rng = np.random.default_rng([*JUDGES.values(), THIRD, LONGER].index(judge))
    draws = np.array([[drawn(one, one.judges[judge], rng) for _ in range(N_DRAWS)] for one in found])
    wide = np.nanmean(draws, axis=1)
    worth = (wide[:, 2] / wide[:, 1]) ** 2
    total = wide.mean(axis=0)
    holds = f"{total[0]:.3f}".removeprefix("0")
    width = (wide[:, 1] / wide[:, 2]).mean()
    return f"| {judge} | {holds} | {width:.2f} | {worth.mean():.2f} | {worth.max():.2f} | {worth.min():.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kumar", type=Path)
    parser.add_argument("pandalm", type=Path)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    found, pairs = list(dimensions(options.kumar)), list(pairs_of_models(options.pandalm))
    rows = [row(judge, found) for judge in JUDGES.values()] + [row(judge, pairs) for judge in (THIRD, LONGER)]
    print(len(found), len(pairs), *rows, sep="\n")
    if options.write:
        text = TEXT.format(
            heading=HEADING, n_items=200, n_draws=N_DRAWS, share=SHARE, n_pairs=len(pairs), rows="\n".join(rows)
        )
        replace_section(options.write, HEADING, text)


if __name__ == "__main__":
    main()
