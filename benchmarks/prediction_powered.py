"""Judge and people together: coverage, type I error and width of `prediction_powered` for judges that are wrong.

`nice -n 15 python -m benchmarks.prediction_powered --write docs/statistics/coverage.md` replaces the section of the
documentation.
"""

import os

# small matrices: synchronizing several threads takes longer than computing on one
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from app.stats.arrays import Floats, Ints
from app.stats.clusters import t_quantile
from app.stats.comparison.prediction_powered import Powered, prediction_powered
from benchmarks.sections import replace_section

HEADING = "## Judge and people together"
JUDGES = ("good", "biased", "side-biased", "refusing", "constant", "noise", "three")
# items, raters, share of the items that people rate
DESIGNS = [(20, 6, 0.5), (60, 6, 0.3), (60, 12, 0.3), (60, 12, 0.5), (200, 12, 0.1), (200, 20, 0.3), (200, 20, 0.5)]
EFFECT = 0.4
PER_ITEM = 4
# SD of how raters differ in what they make of each source
RATER_SD = 0.15
# items, raters, share, SD between raters: both rules for the degrees of freedom are compared here
RULES = [(60, 4, 0.5), (20, 6, 0.5), (60, 6, 0.5), (60, 12, 0.3), (200, 20, 0.3)]
SDS = (RATER_SD, 0.8)
TEXT = """{heading}

The difference between two sources, estimated from people's ratings of a random share of the items and a judge's of all
(`mean_difference_ppi`), in simulated studies ({n:,} for a row). Each item of the sample is rated by {per_item} raters,
from 1 to 7. *Coverage* is of the difference that the raters of the population would give, {effect} on the scale before
rounding. *p < .05* is for no difference. *Width* is the mean width of the interval over that of people alone; *worth*,
per human rating, is how many would give the same width without the judge.

The judges: *good* goes along with people; *biased* too, but adds .5 points to one source; *side-biased* adds 1.5 points
to the response on the left; *refusing* has no value for responses that people rate low; *constant* always says the
same; *noise* has nothing to do with the texts; *three* are a good and a biased one with more noise, and noise, stacked.

Created by `python -m benchmarks.prediction_powered --write docs/statistics/coverage.md`.

| Judge | Items | Raters | Rated by people | Coverage | p < .05 | Width | Worth |
| --- | --- | --- | --- | --- | --- | --- | --- |
{rows}

The Monte Carlo error is .004: .977 with 20 items and 6 raters is chance (.969 in the 2,000 other studies below), and
p < .05 of .026 to .029 with 6 raters is as good as .03.

Degrees of freedom are [Satterthwaite's](judges.md), also for people alone (`mean_difference_people`). With
min(items, raters) − 1, as elsewhere, few raters who hardly differ in how they see the sources give intervals that are
too wide. *SD*: between raters in what they make of each source ({sd} above); a good judge, {n:,} studies for a row.
Each cell has coverage, p < .05, and width in points.

| Items | Raters | Rated by people | SD | Satterthwaite | min − 1 | People: Satterthwaite | People: min − 1 |
| --- | --- | --- | --- | --- | --- | --- | --- |
{rules}
"""


@dataclass(frozen=True, eq=False)
class Study:
    """Values of units (item x source, in this order) and of the human ratings of the sample."""

    value: Floats
    unit: Ints
    rater: Ints
    judge: Floats
    item: Ints
    sign: Floats

    def estimated(self) -> Powered:
        return prediction_powered(
            self.value, unit=self.unit, rater=self.rater, judge=self.judge, item=self.item, sign=self.sign, null=0.0
        )


def simulated(
    rng: np.random.Generator,
    judge: str,
    n_items: int,
    n_raters: int,
    share: float,
    effect: float,
    rater_sd: float = RATER_SD,
) -> Study:
    """Return a study: crossed effects of items, items x sources, raters and raters x sources, and a residual."""
    item = np.repeat(np.arange(n_items), 2)
    sign = np.tile([1.0, -1.0], n_items)
    quality = np.repeat(rng.normal(0, 0.6, n_items), 2) + rng.normal(0, 0.6, 2 * n_items) + effect / 2 * sign
    sampled = rng.permutation(n_items)[: round(share * n_items)]
    order = rng.permutation(len(sampled) * PER_ITEM) % n_raters
    pairs = np.unique(np.column_stack([np.repeat(sampled, PER_ITEM), order]), axis=0)
    unit = (2 * pairs[:, :1] + np.array([[0, 1]])).ravel()
    rater = np.repeat(pairs[:, 1], 2)
    habit = rng.normal(0, 0.5, n_raters)[rater] + rng.normal(0, rater_sd, (n_raters, 2))[rater, unit % 2]
    rated = np.clip(np.round(4 + quality[unit] + habit + rng.normal(0, 0.8, len(unit))), 1, 7)
    return Study(rated, unit, rater, _judged(rng, judge, quality, sign), item, sign)


def _judged(rng: np.random.Generator, judge: str, quality: Floats, sign: Floats) -> Floats:
    noise = rng.normal(0, 0.3, len(quality))
    left = np.repeat(rng.integers(0, 2, len(quality) // 2), 2)
    said: dict[str, Floats] = {
        "good": quality + noise,
        "biased": quality + noise + 0.5 * (sign > 0),
        "side-biased": quality + noise + 1.5 * ((sign > 0) == left),
        "refusing": np.where(quality < -0.3, np.nan, quality + noise),
        "constant": np.full(len(quality), 2.0),
        "noise": 3 * noise,
    }
    if judge == "three":
        more = rng.normal(0, 0.6, (2, len(quality)))
        said["three"] = np.array([quality + noise + more[0], said["biased"] + more[1], said["noise"]])
    return 4 + said[judge]


def figures(judge: str, design: Sequence[float], n_studies: int) -> list[float]:
    """Return coverage, type I error, width relative to people alone, and worth of a human rating."""
    n_items, n_raters, share = int(design[0]), int(design[1]), design[2]
    rng = np.random.default_rng([JUDGES.index(judge), n_items, n_raters, int(100 * share)])
    found, widths = [], []
    for _ in range(n_studies):
        powered = simulated(rng, judge, n_items, n_raters, share, EFFECT).estimated()
        none = simulated(rng, judge, n_items, n_raters, share, 0.0).estimated().combined
        interval, alone = powered.combined.interval, powered.people.interval
        assert interval is not None
        assert alone is not None
        found.append([interval.low <= EFFECT <= interval.high, (none.p_value or 0.0) < 0.05])
        widths.append([interval.high - interval.low, alone.high - alone.low])
    wide = np.mean(widths, axis=0)
    return [*np.mean(found, axis=0), wide[0] / wide[1], (wide[1] / wide[0]) ** 2]


def rules(design: tuple[int, int, float], rater_sd: float, n_studies: int) -> str:
    """Return the cells of a row that compares the degrees of freedom, for judge and people, and for people alone."""
    n_items, n_raters, share = design
    rng = np.random.default_rng([n_items, n_raters, int(100 * share), int(100 * rater_sd)])
    df = min(round(share * n_items), n_raters) - 1
    found = []
    for effect in [EFFECT, 0.0] * n_studies:
        powered = simulated(rng, "good", n_items, n_raters, share, effect, rater_sd).estimated()
        for one in (powered.combined, powered.people):
            assert one.interval is not None
            reach = (one.interval.high - one.interval.low) / 2, t_quantile(df, 0.95) * (one.standard_error or 0.0)
            found.append([(abs((one.estimate or 0.0) - effect) <= half, 2 * half) for half in reach])
    # studies, effect or none, who, rule, inside and width
    table = np.array(found, dtype=np.float64).reshape(n_studies, 2, 2, 2, 2)
    inside, width = table[..., 0].mean(axis=0), table[..., 1].mean(axis=(0, 1))
    cells = [
        f"{inside[0, who, rule]:.3f}, {1 - inside[1, who, rule]:.3f}, ".replace("0.", ".") + f"{width[who, rule]:.2f}"
        for who in range(2)
        for rule in range(2)
    ]
    return " | ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    rows = []
    for judge, design in product(JUDGES, DESIGNS):
        coverage, error, width, worth = figures(judge, design, options.studies)
        numbers = f"{coverage:.3f} | {error:.3f}".replace("0.", ".")
        rows.append(
            f"| {judge} | {design[0]} | {design[1]} | {design[2]:.0%} | {numbers} | {width:.2f} | {worth:.2f} |"
        )
        print(rows[-1], flush=True)
    compared = []
    for size, sd in product(RULES, SDS):
        compared.append(f"| {size[0]} | {size[1]} | {size[2]:.0%} | {sd} | {rules(size, sd, options.studies)} |")
        print(compared[-1], flush=True)
    text = TEXT.format(
        heading=HEADING,
        n=options.studies,
        per_item=PER_ITEM,
        effect=EFFECT,
        rows="\n".join(rows),
        rules="\n".join(compared),
        sd=RATER_SD,
    )
    if options.write:
        replace_section(options.write, HEADING, text)


if __name__ == "__main__":
    main()
