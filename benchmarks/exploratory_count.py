"""Error rates of the count of exploratory comparisons in reports of simulated studies with and without effects.

A report counts each comparison once, by its first test, and adjusts all of them as one family by Benjamini and
Hochberg's method. Two designs: three sources rated on three questions, with groups of items and of raters; and a pair
of sources with a choice, two questions, shown labels, and a question about who wrote each response. Items and raters
are drawn anew in each study; they differ in level, and in what they make of each source. In the studies with effects
the last source is rated higher on the second question, and chosen more often; nothing else differs.
Run: python -m benchmarks.exploratory_count [--studies N] [--write docs/statistics/coverage.md]
"""

import os

# small matrices: synchronizing several threads takes longer than computing on one
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from zlib import crc32

import numpy as np

from app.analysis import analyze
from app.analysis.data.study_folder import frames_of
from app.analysis.estimate import Estimate
from app.analysis.report.explored import explored
from app.analysis.sections.subgroups import INTERACTIONS
from app.studies.folder.read import read_files
from benchmarks.sections import replace_section
from benchmarks.simulated_nulls import points
from tests.kit.report_parts import only_parts

EFFECT, ALPHA = 0.8, 0.05
# first number and how many; the second batch came after it was fixed which comparisons have an effect
BATCHES = {"": (0, 80), ", again": (1000, 60)}
N_ITEMS, N_RATERS, PER_RATER = 24, 24, 8
SD_ITEM, SD_RATER, SD_ITEM_SOURCE, SD_RATER_SOURCE, SD_NOISE, TIE = 0.4, 0.4, 0.3, 0.3, 0.8, 0.4
SCALE = dict.fromkeys(range(1, 6), "")
# the parts of a report whose tests are counted
TESTED = ("_compared", "_choices", "_codes_given", "_split", "_contrasts")
HEADING = "## Error rates of the count of exploratory comparisons"

Files = dict[str, bytes]


def _csv(head: str, rows: list[str]) -> bytes:
    return "\n".join([head, *rows]).encode()


@dataclass(frozen=True)
class Levels:
    """What raters make of each source on each question: normal values, by item, rater and source."""

    rng: np.random.Generator
    sources: tuple[str, ...]
    effects: dict[tuple[str, str], float]

    def drawn(self, question: str) -> Callable[[int, int, str], float]:
        """Return the level of a source for a rater on an item; questions are independent of each other."""
        rng, n = self.rng, len(self.sources)
        item, rater = rng.normal(0, SD_ITEM, N_ITEMS), rng.normal(0, SD_RATER, N_RATERS)
        by_item, by_rater = (rng.normal(0, sd, (N_ITEMS, n)) for sd in (SD_ITEM_SOURCE, SD_RATER_SOURCE))

        def level(i: int, r: int, source: str) -> float:
            k = self.sources.index(source)
            of_source = by_item[i, k] + by_rater[r, k] + self.effects.get((question, source), 0.0)
            return float(item[i] + rater[r] + of_source + rng.normal(0, SD_NOISE))

        return level


def _trials() -> list[tuple[int, int]]:
    """Item and rater: each rater rates as many items, each item has as many raters."""
    return [((r + k * N_ITEMS // PER_RATER) % N_ITEMS, r) for r in range(N_RATERS) for k in range(PER_RATER)]


def _tables(rng: np.random.Generator, sources: tuple[str, ...]) -> Files:
    """Items and raters in groups that nothing depends on, and texts whose lengths nothing depends on."""
    topics, ages = (rng.permutation(np.arange(24) % 2) for _ in range(2))
    kinds = {0: "work", 1: "family"}, {0: "younger", 1: "older"}
    lengths = rng.integers(8, 40, (N_ITEMS, len(sources)))
    return {
        "items.csv": _csv("item,text,topic", [f"i{i},Message {i},{kinds[0][topics[i]]}" for i in range(N_ITEMS)]),
        "raters.csv": _csv("rater,kind,age", [f"r{r},person,{kinds[1][ages[r]]}" for r in range(N_RATERS)]),
        "responses.csv": _csv(
            "item,source,text",
            [f"i{i},{source},{'word ' * lengths[i, k]}" for i in range(N_ITEMS) for k, source in enumerate(sources)],
        ),
    }


def _rating(key: str) -> dict[str, object]:
    return {"key": key, "target": "response", "type": "rating", "text": f"{key}?", "scale": SCALE}


def three_sources(rng: np.random.Generator, effect: float) -> Files:
    """Three sources, rated by each rater of an item on three questions; the first question is primary."""
    sources = ("human", "model_a", "model_b")
    levels = Levels(rng, sources, {("second", "model_b"): effect})
    study = {
        "sources": {name: {"kind": name[:5]} for name in sources},
        "questions": [_rating(key) for key in ("first", "second", "third")],
        "analysis": {"reference": "human", "primary": ["first"]},
    }
    rows = []
    for key in ("first", "second", "third"):
        level = levels.drawn(key)
        rows += [
            f"r{r},i{i},i{i}:{source},{key},{points(np.asarray(level(i, r, source))):.0f}"
            for i, r in _trials()
            for source in sources
        ]
    return {**_study(study), **_tables(rng, sources), "ratings.csv": _csv("rater,item,response,question,value", rows)}


def pair_with_labels(rng: np.random.Generator, effect: float) -> Files:
    """A pair with a choice and two ratings, shown with a true or a swapped label; who wrote it is guessed."""
    sources = ("human", "model")
    levels = Levels(rng, sources, {("second", "model"): effect, ("better", "model"): effect})
    believed = {"key": "author", "target": "response", "type": "category", "text": "Who wrote it?"}
    study = {
        "sources": {name: {"kind": name, "shown_label": f"By a {name}"} for name in sources},
        "questions": [
            {"key": "better", "target": "pair", "type": "choice", "text": "Which?", "tie": True},
            _rating("first"),
            _rating("second"),
            {**believed, "codes": {"human": "A person", "ai": "An AI"}},
        ],
        "flow": {"debrief": {"text": "Half of the lines were false.", "show_sources": True}},
        "conditions": {"label": {"kind": "shown_label", "levels": [True, "swapped"], "assign": "within"}},
        "analysis": {
            "reference": "human",
            "primary": ["first"],
            "believed_source": {"question": "author", "means": {"human": ["human"], "ai": ["model"]}},
        },
    }
    rows, drawn = [], {key: levels.drawn(key) for key in ("better", "first", "second")}
    for i, r in _trials():
        label = ("true", "swapped")[int(rng.integers(2))]
        said = dict(zip(sources, sources if label == "true" else sources[::-1], strict=True))
        for source in sources:
            at, shown = f"r{r},i{i},i{i}:{source}", f"{said[source]},label={label}"
            rows += [
                f"{at},{key},{points(np.asarray(drawn[key](i, r, source))):.0f},{shown},,"
                for key in ("first", "second")
            ]
            rows.append(f"{at},author,{('human', 'ai')[int(rng.integers(2))]},{shown},,")
        gap = drawn["better"](i, r, "model") - drawn["better"](i, r, "human")
        chosen = "tie" if abs(gap) < TIE else f"i{i}:model" if gap > 0 else f"i{i}:human"
        left, right = (f"i{i}:{name}" for name in rng.permutation(sources))
        rows.append(f"r{r},i{i},,better,{chosen},,label={label},{left},{right}")
    head = "rater,item,response,question,value,shown_label,condition,left_response,right_response"
    return {**_study(study), **_tables(rng, sources), "ratings.csv": _csv(head, rows)}


def _study(parts: Mapping[str, object]) -> Files:
    return {"study.yaml": json.dumps({"attune": 1, "slug": "count", "title": "Count", **parts}).encode()}


def has_effect(one: Estimate) -> bool:
    """Whether a comparison is of what differs in the studies with effects, by how they are made.

    The last source differs from each other one on the second question and in choices: everywhere, so also in each
    group, condition and belief, and in none of them more than in another, so that no interaction has an effect. Since
    it is both rated higher on the second question and chosen more often, choices go with ratings on that question.
    Groups, labels, guessed authors, sides and lengths of texts are drawn without regard to the levels.
    """
    if one.statistic == "choice_coherence":
        return one.scope.get("covariate") == "second"
    last = "model_b" if "model_b" in one.scope.values() else "model"
    is_of_it = one.question in {"second", "better"} and last in {one.scope.get("source"), one.scope.get("reference")}
    return is_of_it and "reference" in one.scope and one.statistic not in INTERACTIONS


DESIGNS = {"three sources": three_sources, "pair with labels": pair_with_labels}


@dataclass(frozen=True, slots=True)
class Counted:
    """One simulated study: comparisons without an effect, those of them below .05, and what the adjustment leaves."""

    n_null: int
    n_null_small: int
    n_other: int
    n_found: int
    n_false: int


def counted(design: str, effect: float, number: int) -> tuple[Counted, Counter[str]]:
    """Return the counts of one study, and which statistics without an effect were below .05 in it."""
    rng = np.random.default_rng([crc32(design.encode()), bool(effect), number])
    study = read_files(DESIGNS[design](rng, effect))
    with only_parts(*TESTED):
        found = explored(analyze(frames_of(study), study.protocol).estimates)
    is_true = [bool(effect) and has_effect(one) for one in found.first]
    small = [not truly and (one.p_value or 0.0) < ALPHA for one, truly in zip(found.first, is_true, strict=True)]
    clear = [p < ALPHA for p in found.p_adjusted]
    return Counted(
        is_true.count(False),
        sum(small),
        sum(is_true),
        sum(truly and one for truly, one in zip(is_true, clear, strict=True)),
        sum(one and not truly for truly, one in zip(is_true, clear, strict=True)),
    ), Counter(one.statistic for one, is_small in zip(found.first, small, strict=True) if is_small)


def row(design: str, effect: float, batch: str, studies: list[Counted]) -> str:
    """Return the row of the table."""
    shares = np.array([one.n_null_small / one.n_null for one in studies])
    false = np.array([one.n_false / max(1, one.n_false + one.n_found) for one in studies])
    errors = [found.std(ddof=1) / len(studies) ** 0.5 for found in (shares, false)]
    power = sum(one.n_found for one in studies) / max(1, sum(one.n_other for one in studies))
    n = np.mean([one.n_null + one.n_other for one in studies])
    cells = [
        f"{design}, {'with effects' if effect else 'no effect'}{batch}",
        f"{n:.0f}",
        f"{_short(shares.mean())} ± {_short(errors[0])}",
        f"{_short(false.mean())} ± {_short(errors[1])}",
        _short(power) if effect else "–",
    ]
    return f"| {' | '.join(cells)} |"


def _short(share: float) -> str:
    return f"{share:.3f}".removeprefix("0")


TEXT = """{heading}

Reports of {n} simulated studies each ({items} items, {raters} raters, drawn anew): three
sources on three questions with groups of items and raters, or a pair with a choice, shown labels and guessed authors.
With effects, one source is higher on one question, and chosen more often. The false discovery rate is the mean over
studies of the share of comparisons below .05 after adjustment that have no effect. *Again*: {n_again} studies with
other seeds, after it was fixed what has an effect. ±: standard error.
Created by `python -m benchmarks.exploratory_count --write docs/statistics/coverage.md`.

| Studies | Comparisons | Without an effect: p < .05 | False discovery rate | Found of those with one |
| --- | --- | --- | --- | --- |
{rows}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, help="at most so many of each batch")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    rows = []
    for (batch, (start, n)), design, effect in product(BATCHES.items(), DESIGNS, (0.0, EFFECT)):
        found = [counted(design, effect, start + number) for number in range(min(n, options.studies or n))]
        rows.append(row(design, effect, batch, [one for one, _ in found]))
        small: Counter[str] = sum((each for _, each in found), Counter())
        print(rows[-1], dict(small.most_common(8)), flush=True)
    if options.write:
        (_, n), (_, n_again) = BATCHES.values()
        sizes = {"n": n, "n_again": n_again, "items": N_ITEMS, "raters": N_RATERS}
        replace_section(options.write, HEADING, TEXT.format(heading=HEADING, rows="\n".join(rows), **sizes))


if __name__ == "__main__":
    main()
