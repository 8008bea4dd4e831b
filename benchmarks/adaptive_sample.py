"""Judge and people together, with a sample that grows where they disagree: coverage, type I error and width.

`nice -n 15 python -m benchmarks.adaptive_sample --write docs/statistics/coverage.md` replaces the section of the
documentation.
"""

import os

# small matrices: synchronizing several threads takes longer than computing on one
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

from app.protocol.allocation import human_sample
from app.protocol.allocation.human_sample import PROBABILITY, draw, folds, grow
from app.protocol.allocation.trials import PlannedItem
from app.protocol.study import Protocol
from app.stats.arrays import Bools, Floats
from app.stats.comparison.prediction_powered import Powered, prediction_powered, residual_of_items
from app.stats.comparison.residual_sizes import predicted_sizes
from benchmarks.prediction_powered import EFFECT, PER_ITEM
from benchmarks.sections import replace_section

HEADING = "## A sample that grows where judge and people disagree"
HARD = 0.25
JUDGES = ("hard items", "skewed", "noise")
# items, raters, share of the pilot, share in the end, stages after the pilot
DESIGNS = [(60, 12, 0.2, 0.4, 1), (100, 12, 0.15, 0.3, 3)]
# Draws of the sample that are repeated, with other ratings each time.
N_SEEDS = 50
human_sample.fraction = cache(human_sample.fraction)  # type: ignore[attr-defined]
TEXT = """{heading}

The difference between two sources (`mean_difference_ppi`) in simulated studies ({n:,} for a row): people rate a random
share of the items, as a pilot, then more items, drawn in one stage or in three where the judges and people are likely
to disagree. Each item of the sample is rated by {per_item} raters. *Width* is relative to a sample of the same size
that is drawn at random, *items* the mean number of items that people rate.

Two judges: on *hard items*, one in four, the responses differ more (SD 1.2 instead of .2), and so do the errors of the
judges; *skewed*: the same, but errors always favour one source; *noise*: the judges have nothing to do with the texts.

Created by `python -m benchmarks.adaptive_sample --write docs/statistics/coverage.md`.

| Judges | Items | Raters | Pilot | In the end | Stages | Coverage | p < .05 | Width | Items |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}
"""


@dataclass(frozen=True, eq=False)
class World:
    """All units (item x source, in this order), as every rater would rate them and the judges do."""

    rated: Floats
    judges: Floats
    item: np.ndarray
    sign: Floats
    seats: np.ndarray


def world(rng: np.random.Generator, judge: str, n_items: int, n_raters: int, effect: float) -> World:
    """Return ratings of shape (n_items, 2, n_raters), those of two judges, and the raters of each item."""
    is_hard = rng.random((n_items, 1)) < HARD
    own = np.where(is_hard, 1.2, 0.2) if judge in {"hard items", "skewed"} else np.full((n_items, 1), 0.6)
    quality = rng.normal(0, 0.6, (n_items, 1)) + own * rng.normal(0, 1, (n_items, 2)) + effect / 2 * np.array([1, -1])
    habit = rng.normal(0, 0.5, n_raters) + rng.normal(0, 0.15, (2, n_raters))
    rated = np.clip(np.round(4 + quality[:, :, None] + habit + rng.normal(0, 0.8, (n_items, 2, n_raters))), 1, 7)
    errors = own * rng.normal(0, 1, (2, n_items, 2))
    if judge == "skewed":
        errors = np.abs(errors) * np.array([1, -1]) / 2
    judges = 4 + (rng.normal(0, 1, (2, n_items, 2)) if judge == "noise" else quality + errors)
    seats = np.array([rng.permutation(n_raters)[:PER_ITEM] for _ in range(n_items)])
    item, sign = np.repeat(np.arange(n_items), 2), np.tile([1.0, -1.0], n_items)
    return World(rated, judges.reshape(2, -1), item, sign, seats)


def ratings(of: World, is_in: Bools) -> tuple[Floats, np.ndarray, np.ndarray]:
    """Return value, unit and rater of what people rate."""
    item = np.flatnonzero(is_in)
    rater = np.repeat(of.seats[item], 2, axis=0).ravel()
    unit = np.repeat(np.array([2 * item, 2 * item + 1]).T.ravel(), PER_ITEM)
    return of.rated[unit // 2, unit % 2, rater], unit, rater


def estimated(of: World, is_in: Bools, probability: Floats) -> Powered:
    value, unit, rater = ratings(of, is_in)
    chance = np.repeat(probability, 2)
    return prediction_powered(
        value, unit=unit, rater=rater, judge=of.judges, item=of.item, sign=of.sign, chance=chance, null=0.0
    )


def sizes(of: World, is_in: Bools, probability: Floats, fold: np.ndarray) -> Floats:
    """Return the predicted disagreement of each item, as `sizes_of_items` does."""
    value, unit, _ = ratings(of, is_in)
    chance = np.repeat(probability, 2)
    found = residual_of_items(value, unit=unit, judge=of.judges, item=of.item, sign=of.sign, chance=chance)
    residual = np.concatenate([found, np.full(len(is_in) - len(found), np.nan)])
    difference = of.judges.reshape(2, -1, 2) @ np.array([1, -1])
    z = (difference - difference.mean(axis=1, keepdims=True)) / difference.std(axis=1, keepdims=True)
    features = np.array([np.abs(z.mean(axis=0)), z.std(axis=0)])
    return predicted_sizes(residual, features, fold)


def sampled(of: World, share: float, end: float, n_stages: int, seed: int) -> tuple[Bools, Floats]:
    """Return which items people rate, and the probability of each."""
    question = {"key": "q", "type": "rating", "target": "response", "text": "?", "scale": {"1": "a", "2": "b"}}
    design = {"human_sample": {"share": share}, "seed": seed}
    sources = {"model": {"kind": "model"}}
    protocol = Protocol.model_validate(
        {"attune": 1, "slug": "s", "title": "T", "sources": sources, "questions": [question], "design": design}
    )
    n = len(of.seats)
    items = [PlannedItem(f"{k:04}") for k in range(n)]
    for stage in range(n_stages + 1):
        if stage == 0:
            chances = draw(protocol, items)
        else:
            fold = folds(protocol, items)
            is_in = np.array([chances[item.key].is_in for item in items])
            before = np.array([float(item.attributes[PROBABILITY]) for item in items])
            size = sizes(of, is_in, before, np.array([fold[item.key] for item in items]))
            n_more = round((end - share) * n / n_stages)
            chances = grow(
                protocol, items, {item.key: float(each) for item, each in zip(items, size, strict=True)}, n_more
            )
        items = [replace(item, attributes=chances[item.key].cells) for item in items]
    found = [chances[item.key] for item in items]
    return np.array([one.is_in for one in found]), np.array([one.probability for one in found])


def figures(judge: str, design: tuple[int, int, float, float, int], n_studies: int) -> Floats:
    """Return coverage, type I error, width relative to a random sample, and the number of items that people rate."""
    n_items, n_raters, share, end, n_stages = design
    rng = np.random.default_rng([JUDGES.index(judge), n_items, n_raters, n_stages])
    found = []
    for number in range(n_studies):
        seed = number % N_SEEDS
        of, none = (world(rng, judge, n_items, n_raters, effect) for effect in (EFFECT, 0.0))
        drawn = sampled(of, share, end, n_stages, seed)
        interval = estimated(of, *drawn).combined.interval
        test = estimated(none, *sampled(none, share, end, n_stages, seed)).combined
        at_random = estimated(of, *sampled(of, end, end, 0, seed)).combined.interval
        assert interval is not None
        assert at_random is not None
        widths = interval.high - interval.low, at_random.high - at_random.low
        found.append([interval.low <= EFFECT <= interval.high, (test.p_value or 0) < 0.05, *widths, drawn[0].sum()])
    mean = np.mean(found, axis=0)
    return np.array([mean[0], mean[1], mean[2] / mean[3], mean[4]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    rows = []
    for judge, design in product(JUDGES, DESIGNS):
        coverage, error, width, n = figures(judge, design, options.studies)
        numbers = f"{coverage:.3f} | {error:.3f}".replace("0.", ".")
        size = f"{design[0]} | {design[1]} | {design[2]:.0%} | {design[3]:.0%} | {design[4]}"
        rows.append(f"| {judge} | {size} | {numbers} | {width:.2f} | {n:.1f} |")
        print(rows[-1], flush=True)
    text = TEXT.format(heading=HEADING, n=options.studies, per_item=PER_ITEM, rows="\n".join(rows))
    if options.write:
        replace_section(options.write, HEADING, text)


if __name__ == "__main__":
    main()
