"""Judge and people together: coverage and type I error of percentages, factors, and shares of correct answers.

`nice -n 15 python -m benchmarks.other_powered --write docs/statistics/coverage.md` replaces the section of the
documentation.
"""

import os

# small matrices: synchronizing several threads takes longer than computing on one
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from scipy import special

from app.stats.arrays import Floats, Ints
from app.stats.comparison.prediction_powered import Powered, percent_powered, prediction_powered
from benchmarks.prediction_powered import EFFECT, PER_ITEM, simulated
from benchmarks.sections import replace_section

Design = tuple[int, int, float]
Found = tuple[Powered, float]
HEADING = "## Judge and people together: other estimates"
JUDGES = ("good", "biased", "noise")
DESIGNS = [(60, 6, 0.5), (60, 12, 0.3), (200, 20, 0.3), (200, 40, 0.3)]
# in log odds: items, raters, and the mean of a share of correct answers
SD_ITEM, SD_RATER, MEAN_LOGIT = 1.0, 0.5, 0.8
TEXT = """{heading}

As above, for other statistics, in {n} simulated studies for a row. *Percentage* (`percent_change_ppi`): the two sources
as above, in percent of the reference's mean. *Factor* (`factor_effect_ppi`): each rater works at one of two levels, the
judge at both; the effect is {effect} points. *Accuracy* (`accuracy_ppi`): shares of correct answers, with SDs of {item}
between items and {rater} between raters in log odds; *p < .05* is for the true share. A *good* judge goes along with
people, a *biased* one too, but favours one side (accuracy: half of its errors become correct), *noise* does not.

Created by `python -m benchmarks.other_powered --write docs/statistics/coverage.md`.

| Estimate | Judge | Items | Raters | Rated by people | Coverage | p < .05 | Width |
| --- | --- | --- | --- | --- | --- | --- | --- |
{rows}
"""


def mean_rating(centre: float) -> float:
    """The mean of the ratings of `simulated`, which are rounded and end at 1 and 7, around a centre."""
    sd = (2 * 0.6**2 + 0.5**2 + 0.15**2 + 0.8**2) ** 0.5
    return 1 + float(sum(1 - special.ndtr((k + 0.5 - centre) / sd) for k in range(1, 7)))


def percent(rng: np.random.Generator, judge: str, design: Design, effect: float) -> tuple[Powered, float]:
    study = simulated(rng, judge, *design, effect)
    found = percent_powered(
        study.value, unit=study.unit, rater=study.rater, judge=study.judge, item=study.item, sign=study.sign
    )
    return found, 100 * (mean_rating(4 + effect / 2) / mean_rating(4 - effect / 2) - 1)


def _seated(rng: np.random.Generator, design: Design) -> tuple[Ints, Ints]:
    """The items of a random share, each with different raters: item and rater of each rating."""
    n_items, n_raters, share = design
    sampled = rng.permutation(n_items)[: round(share * n_items)]
    order = rng.permutation(len(sampled) * PER_ITEM) % n_raters
    item, rater = np.unique(np.column_stack([np.repeat(sampled, PER_ITEM), order]), axis=0).T
    return item, rater


def factor(rng: np.random.Generator, judge: str, design: Design, effect: float) -> tuple[Powered, float]:
    n_items, n_raters, _ = design
    quality = rng.normal(0, 0.6, (n_items, 1)) + rng.normal(0, 0.3, (n_items, 2)) + np.array([0, effect])
    item, rater = _seated(rng, design)
    level = rater % 2
    habit = rng.normal(0, 0.5, n_raters)[rater]
    value = quality[item, level] + habit + rng.normal(0, 0.8, len(item))
    said = quality + rng.normal(0, 0.3, quality.shape)
    judged = {"good": said, "biased": said + np.array([0, 0.5]), "noise": rng.normal(0, 1, quality.shape)}[judge]
    # a unit is an item at a level, and only those of sampled items have ratings
    unit = 2 * item + level
    found = prediction_powered(
        value,
        unit=unit,
        rater=rater,
        judge=judged.ravel(),
        item=np.repeat(np.arange(n_items), 2),
        sign=np.tile([-1.0, 1.0], n_items),
        null=0.0,
    )
    return found, effect


def accuracy(rng: np.random.Generator, judge: str, design: Design, _effect: float) -> tuple[Powered, float]:
    n_items, n_raters, _ = design
    logit = MEAN_LOGIT + rng.normal(0, SD_ITEM, n_items)
    item, rater = _seated(rng, design)
    p = special.expit(logit[item] + rng.normal(0, SD_RATER, n_raters)[rater])
    value = np.asarray(rng.random(len(item)) < p, dtype=np.float64)
    good = np.asarray(special.expit(2 * logit) > rng.random(n_items), dtype=np.float64)
    judges: dict[str, Floats] = {
        "good": good,
        "biased": np.where(rng.random(n_items) < 0.5, 1.0, good),
        "noise": np.asarray(rng.random(n_items) < 0.5, dtype=np.float64),
    }
    truth, judged = share_of_population(), judges[judge]
    found = prediction_powered(value, unit=item, rater=rater, judge=judged, item=np.arange(n_items), null=truth)
    return found, truth


def share_of_population() -> float:
    """The share of correct answers over items and raters, by Gauss-Hermite quadrature."""
    x, w = np.polynomial.hermite_e.hermegauss(40)
    sd = (SD_ITEM**2 + SD_RATER**2) ** 0.5
    return float(w @ special.expit(MEAN_LOGIT + sd * x) / w.sum())


Simulate = Callable[[np.random.Generator, str, Design, float], Found]
ESTIMATES: dict[str, Simulate] = {"percentage": percent, "factor": factor, "accuracy": accuracy}


def figures(name: str, judge: str, design: Design, n_studies: int) -> Floats:
    """Return coverage, type I error, and width relative to people alone."""
    seed = [[*ESTIMATES].index(name), JUDGES.index(judge), DESIGNS.index(design)]
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n_studies):
        powered, truth = ESTIMATES[name](rng, judge, design, EFFECT)
        none, _ = ESTIMATES[name](rng, judge, design, 0.0)
        interval, alone = powered.combined.interval, powered.people.interval
        assert interval is not None
        assert alone is not None
        is_error = (none.combined.p_value or 0.0) < 0.05
        found.append(
            [interval.low <= truth <= interval.high, is_error, interval.high - interval.low, alone.high - alone.low]
        )
    mean = np.mean(found, axis=0)
    return np.array([mean[0], mean[1], mean[2] / mean[3]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--only", choices=ESTIMATES)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    rows = []
    for name, judge, design in product([options.only] if options.only else ESTIMATES, JUDGES, DESIGNS):
        coverage, error, width = figures(name, judge, design, options.studies)
        numbers = f"{coverage:.3f} | {error:.3f}".replace("0.", ".")
        rows.append(f"| {name} | {judge} | {design[0]} | {design[1]} | {design[2]:.0%} | {numbers} | {width:.2f} |")
        print(rows[-1], flush=True)
    text = TEXT.format(
        heading=HEADING, n=options.studies, effect=EFFECT, item=SD_ITEM, rater=SD_RATER, rows="\n".join(rows)
    )
    if options.write:
        replace_section(options.write, HEADING, text)


if __name__ == "__main__":
    main()
