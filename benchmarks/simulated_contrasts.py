"""Simulated studies with a known effect, one for each contrast: `coverage` counts how often its interval holds it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from app.stats.accuracy.empathic import empathic_accuracy, empathic_accuracy_difference
from app.stats.arrays import Bools, Floats, Ints
from app.stats.comparison.change import change_difference
from app.stats.comparison.describe import mean_difference
from app.stats.comparison.percent import percent_change
from app.stats.comparison.pools import group_difference, pool_correlation, pool_difference
from app.stats.factors import amce, attribute_effect, factor_effect, interaction
from app.stats.linear.slopes import covariate_slope, turn_slope, turn_slope_difference, whole_on_turns
from app.stats.proportions.share_difference import share_difference
from app.stats.ratings import Ratings
from app.stats.reliability.decision import phi_coefficient
from app.stats.result import Result
from app.stats.spans import Marked, span_scores
from app.stats.trade_off import trade_offs

Simulation = Callable[["Draw"], tuple["Result", float]]

N_ITEMS = 30
EFFECT = 0.4


@dataclass(frozen=True, slots=True)
class Draw:
    """One simulated study: random number generator, number of raters, and number of raters in the first arm."""

    rng: np.random.Generator
    n_raters: int
    n_first: int
    has_effect: bool = True

    def crossed(self, *sizes: int) -> list[Ints]:
        """Return codes of item, rater and each further factor (with `sizes` levels), every combination once."""
        return [axis.ravel() for axis in np.indices((N_ITEMS, self.n_raters, *sizes))]

    def normal(self, sd: float, *shape: int) -> Floats:
        return self.rng.normal(0, sd, shape)

    @property
    def arm(self) -> Bools:
        """Whether each rater is in the first arm."""
        return np.arange(self.n_raters) < self.n_first


def _between_raters(draw: Draw) -> tuple[Result, float]:
    item, rater = draw.crossed()
    treated = draw.arm[rater]
    level = draw.normal(0.8, N_ITEMS)[item] + draw.normal(0.6, draw.n_raters)[rater]
    slope = EFFECT + draw.normal(0.4, N_ITEMS)[item]
    value = level + treated * slope + draw.normal(1, len(item))
    return factor_effect(value, treated, item=item, rater=rater), EFFECT


def _within_raters(draw: Draw) -> tuple[Result, float]:
    item, rater, arm = draw.crossed(2)
    slope = EFFECT + draw.normal(0.4, N_ITEMS)[item] + draw.normal(0.5, draw.n_raters)[rater]
    level = draw.normal(0.8, N_ITEMS)[item] + draw.normal(0.6, draw.n_raters)[rater]
    value = level + arm * slope + draw.normal(1, len(item))
    return factor_effect(value, arm == 1, item=item, rater=rater), EFFECT


def _interaction(draw: Draw) -> tuple[Result, float]:
    item, rater, source = draw.crossed(2)
    member = draw.arm[rater]
    taste = draw.normal(0.5, draw.n_raters)[rater] + draw.normal(0.4, N_ITEMS)[item]
    level = draw.normal(0.8, N_ITEMS)[item] + draw.normal(0.6, draw.n_raters)[rater]
    value = level + source * (taste + EFFECT * member) + draw.normal(1, len(item))
    return interaction(value, source == 1, member, item=item, rater=rater), EFFECT


def _percent(draw: Draw) -> tuple[Result, float]:
    item, rater, source = draw.crossed(2)
    slope = EFFECT + draw.normal(0.4, N_ITEMS)[item] + draw.normal(0.5, draw.n_raters)[rater]
    level = 4 + draw.normal(0.5, N_ITEMS)[item] + draw.normal(0.4, draw.n_raters)[rater]
    value = np.maximum(level + source * slope + draw.normal(0.7, len(item)), 0)
    return percent_change(value, source == 1, item=item, rater=rater), 100 * EFFECT / 4


def _share(draw: Draw) -> tuple[Result, float]:
    """Simulate a category, such as harm, with proportions .30 and .48 for the two sources over new items and raters."""
    item, rater, source = draw.crossed(2)
    latent = draw.normal(0.6, N_ITEMS)[item] + draw.normal(0.5, draw.n_raters)[rater]
    taste = draw.normal(0.4, draw.n_raters)[rater] + draw.normal(0.4, N_ITEMS)[item]
    low, high, spread = -1.0, 0.0, np.hypot(0.6, 0.5)
    has = draw.rng.random(len(item)) < special.expit(low + latent + source * (high - low + taste))
    truth = _mean_share(high, float(np.hypot(spread, np.hypot(0.4, 0.4)))) - _mean_share(low, float(spread))
    return share_difference(has.astype(np.float64), source == 1, item=item, rater=rater), truth


def _mean_share(centre: float, sd: float) -> float:
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    return float(special.expit(centre + sd * nodes) @ weights / weights.sum())


def _attribute(draw: Draw) -> tuple[Result, float]:
    """Simulate twelve new sources: six with the attribute, or five."""
    item, rater, source = draw.crossed(12)
    has = source < (6 if 2 * draw.n_first == draw.n_raters else 5)
    by_side = draw.normal(0.3, draw.n_raters, 2)[rater, has.astype(int)]
    level = draw.normal(0.8, N_ITEMS)[item] + draw.normal(0.5, 12)[source] + by_side
    value = level + EFFECT * has + draw.normal(1, len(item))
    return attribute_effect(value, has, source, item=item, rater=rater), EFFECT


def _amce(draw: Draw) -> tuple[Result, float]:
    item, rater = draw.crossed()
    warm, exact = draw.rng.random(len(item)) < 0.5, draw.rng.random(len(item)) < 0.5
    slope = EFFECT + draw.normal(0.3, N_ITEMS)[item] + draw.normal(0.3, draw.n_raters)[rater]
    level = draw.normal(0.8, N_ITEMS)[item] + draw.normal(0.6, draw.n_raters)[rater]
    value = level + warm * slope + 0.5 * exact + draw.normal(1, len(item))
    return amce(value, {"warm": warm.astype(int), "exact": exact.astype(int)}, item=item, rater=rater)[0].effect, EFFECT


def _pools(draw: Draw) -> tuple[Result, float]:
    item, rater = draw.crossed()
    kept = draw.rng.random(len(item)) < 0.7
    item, rater = item[kept], rater[kept]
    first = draw.arm[rater]
    value = draw.normal(0.8, N_ITEMS)[item] + draw.normal(0.6, draw.n_raters)[rater]
    value = value + first * (EFFECT + draw.normal(0.4, N_ITEMS)[item]) + draw.normal(1, len(item))
    return pool_difference(value, first, unit=item, item=item, rater=rater), EFFECT


def _pool_correlation(draw: Draw) -> tuple[Result, float]:
    item, rater = draw.crossed()
    first, n = draw.arm[rater], draw.n_first
    sd_item, sd_pool, noise = 0.8, 0.4, 1.0
    by_pool = draw.normal(sd_pool, N_ITEMS, 2)[item, first.astype(int)]
    value = draw.normal(sd_item, N_ITEMS)[item] + by_pool + draw.normal(noise, len(item))
    of_pool = [sd_item**2 + sd_pool**2 + noise**2 / size for size in (n, draw.n_raters - n)]
    return pool_correlation(value, first, unit=item, item=item, rater=rater), sd_item**2 / (
        of_pool[0] * of_pool[1]
    ) ** 0.5


def _score_of_raters(draw: Draw) -> tuple[Result, float]:
    item, rater = draw.crossed()
    score = draw.normal(1, draw.n_raters)
    value = draw.normal(0.8, N_ITEMS)[item] + (EFFECT * score + draw.normal(0.6, draw.n_raters))[rater]
    value = value + draw.normal(1, len(item))
    return covariate_slope(value, score[rater], item=item, rater=rater).between, EFFECT


def _length_within(draw: Draw) -> tuple[Result, float]:
    item, rater = draw.crossed()
    length = draw.normal(1, len(item)) + draw.normal(0.5, draw.n_raters)[rater]
    slope = EFFECT + draw.normal(0.3, draw.n_raters)[rater]
    value = draw.normal(0.8, N_ITEMS)[item] + draw.normal(0.6, draw.n_raters)[rater] + slope * length
    return covariate_slope(value + draw.normal(1, len(item)), length, item=item, rater=rater).within, EFFECT


def _turns(draw: Draw) -> tuple[Floats, Floats, Ints, Ints]:
    dialogue, rater, turn = draw.crossed(5)
    slope = draw.normal(0.15, N_ITEMS)[dialogue] + draw.normal(0.15, draw.n_raters)[rater]
    level = draw.normal(0.6, N_ITEMS)[dialogue] + draw.normal(0.6, draw.n_raters)[rater]
    return level + slope * turn + draw.normal(1, len(turn)), turn.astype(np.float64), dialogue, rater


def _turn_slope(draw: Draw) -> tuple[Result, float]:
    value, turn, dialogue, rater = _turns(draw)
    return turn_slope(value + EFFECT * turn, turn, dialogue=dialogue, rater=rater), EFFECT


def _turn_slope_difference(draw: Draw) -> tuple[Result, float]:
    value, turn, dialogue, rater = _turns(draw)
    treated = dialogue % 2 == 0
    value = value + EFFECT * treated * turn
    return turn_slope_difference(value, turn, treated, dialogue=dialogue, rater=rater), EFFECT


def _whole(draw: Draw) -> tuple[Result, float]:
    dialogue, rater = draw.crossed()
    turns = draw.normal(1, len(dialogue), 3) + draw.normal(0.5, N_ITEMS, 3)[dialogue]
    weight = EFFECT + draw.normal(0.2, draw.n_raters)[rater]
    whole = turns[:, 0] * 0.2 + turns[:, 2] * weight + draw.normal(0.5, draw.n_raters)[rater]
    found = whole_on_turns(whole + draw.normal(0.7, len(rater)), turns, dialogue=dialogue, rater=rater)
    return found[2], EFFECT


def _change(draw: Draw) -> tuple[Result, float]:
    before = draw.normal(1, draw.n_raters)
    after = 0.6 * before + EFFECT * draw.arm + draw.normal(0.8, draw.n_raters)
    return change_difference(before, after, draw.arm), EFFECT


def _empathic(draw: Draw) -> tuple[Result, float]:
    target, perceiver, moment = draw.crossed(20)
    felt = draw.normal(1, N_ITEMS, 20)[target, moment]
    z = 0.5 + draw.normal(0.2, N_ITEMS)[target] + draw.normal(0.2, draw.n_raters)[perceiver]
    r = np.tanh(z)
    perceived = r * felt + np.sqrt(1 - r**2) * draw.normal(1, len(felt))
    return empathic_accuracy(felt, perceived, target=target, perceiver=perceiver), float(np.tanh(0.5))


def _spans(draw: Draw) -> tuple[Result, float]:
    """Simulate raters who find part of a key of 20 characters and mark as many characters outside it."""
    item, rater = draw.crossed()
    share = special.expit(0.5 + draw.normal(0.5, N_ITEMS)[item] + draw.normal(0.5, draw.n_raters)[rater])
    n_found = draw.rng.binomial(20, share)
    marks = [
        Marked(int(i), int(i), int(r), ((20 - int(n), 40 - int(n)),))
        for i, r, n in zip(item, rater, n_found, strict=True)
    ]
    key, length = {i: [(0, 20)] for i in range(N_ITEMS)}, dict.fromkeys(range(N_ITEMS), 60)
    return span_scores(marks, key, length).f1, _mean_share(0.5, float(np.hypot(0.5, 0.5)))


def _phi(draw: Draw) -> tuple[Result, float]:
    item, rater = draw.crossed()
    value = draw.normal(0.8, N_ITEMS)[item] + draw.normal(0.5, draw.n_raters)[rater] + draw.normal(1, len(item))
    truth = 0.64 / (0.64 + (0.25 + 1) / 4)
    return phi_coefficient(Ratings(item, rater, value), 4), truth


def _traded(draw: Draw) -> tuple[Result, float]:
    """Simulate two attributes of responses; without an effect they are worth the same."""
    item, rater = draw.crossed()
    attributes = [(draw.rng.random(len(item)) < 0.5).astype(int) for _ in range(2)]
    worth = 1.2 if draw.has_effect else 0.8
    value = draw.normal(0.8, N_ITEMS)[item] + draw.normal(0.6, draw.n_raters)[rater] + draw.normal(1, len(item))
    for has, mean in zip(attributes, (worth, 0.8), strict=True):
        value = value + has * (mean + draw.normal(0.3, N_ITEMS)[item] + draw.normal(0.3, draw.n_raters)[rater])
    found = trade_offs(value, dict(zip(("warm", "exact"), attributes, strict=True)), item=item, rater=rater)
    ratio = next(one.ratio for one in found if one.of[0] == "warm")
    return ratio, worth / 0.8


def _empathic_groups(draw: Draw) -> tuple[Result, float]:
    """Simulate two groups of perceivers of the same targets; the first is more accurate by 0.4 of Fisher's z."""
    target, perceiver, moment = draw.crossed(20)
    felt = draw.normal(1, N_ITEMS, 20)[target, moment]
    gap = EFFECT * draw.has_effect
    z = 0.5 + gap * draw.arm[perceiver] + draw.normal(0.2, N_ITEMS)[target] + draw.normal(0.2, draw.n_raters)[perceiver]
    r = np.tanh(z)
    perceived = r * felt + np.sqrt(1 - r**2) * draw.normal(1, len(felt))
    found = empathic_accuracy_difference(felt, perceived, draw.arm[perceiver], target=target, perceiver=perceiver)
    return found, gap


def _errors(draw: Draw) -> tuple[Result, float]:
    """Simulate whether each response of two sources has an error; half of the items have the attribute."""
    cell, rater = (axis.ravel() for axis in np.indices((N_ITEMS * 2, draw.n_raters)))
    item, is_treated = cell // 2, cell % 2 == 1
    is_member = item % 2 == 0
    mean = -0.8 + 0.3 * is_treated + 0.2 * is_member + 0.5 * draw.has_effect * (is_treated & is_member)
    sds = {"item": 0.5, "rater": 0.4, "cell": 0.3}
    level = mean + draw.normal(sds["item"], N_ITEMS)[item] + draw.normal(sds["rater"], draw.n_raters)[rater]
    has_error = level + draw.normal(sds["cell"], N_ITEMS * 2)[cell] + draw.normal(1, len(cell)) > 0
    spread = float(np.sqrt(1 + sum(sd**2 for sd in sds.values())))
    share = [special.ndtr(at / spread) for at in (-0.3 + 0.5 * draw.has_effect, -0.6, -0.5, -0.8)]
    found = interaction(has_error * 1.0, is_treated, is_member, item=item, rater=rater)
    return found, float(share[0] - share[1] - share[2] + share[3])


def _versions(draw: Draw) -> tuple[Floats, Ints, Bools, Ints]:
    """What raters see in two versions of each item, without an effect: normal with variance 1 beside the noise."""
    item, rater, version = draw.crossed(2)
    altered = version == 1
    seen = draw.normal(0.5, N_ITEMS)[item] + draw.normal(0.4, N_ITEMS * 2)[item * 2 + version]
    seen = seen + draw.normal(0.4, draw.n_raters)[rater] + draw.normal(0.3, draw.n_raters, 2)[rater, version]
    return seen, item, altered, rater


_OF_VERSIONS = float(np.sqrt(0.5**2 + 0.4**2 + 0.4**2 + 0.3**2))


def _altered(draw: Draw) -> tuple[Result, float]:
    seen, item, altered, rater = _versions(draw)
    effect = EFFECT * draw.has_effect
    value = seen + effect * altered + draw.normal(1, len(seen))
    return factor_effect(value, altered, item=item, rater=rater, is_of_items=True), effect


def _right_answers(draw: Draw) -> tuple[Result, float]:
    """Simulate answers that are right or not, or a code that is given or not, about two versions of each item."""
    seen, item, altered, rater = _versions(draw)
    effect = EFFECT * draw.has_effect
    is_right = seen + 0.3 - effect * altered + draw.normal(1, len(seen)) > 0
    spread = float(np.hypot(1, _OF_VERSIONS))
    truth = float(special.ndtr((0.3 - effect) / spread) - special.ndtr(0.3 / spread))
    value = np.asarray(is_right, dtype=np.float64)
    return factor_effect(value, altered, item=item, rater=rater, is_of_items=True), truth


def _preferred_by_item(draw: Draw) -> tuple[Result, float]:
    """Simulate choices between two sources, of which one is chosen more often for half of the items."""
    item, rater = draw.crossed()
    has_level, effect = item % 2 == 1, EFFECT * draw.has_effect
    taste = draw.normal(0.3, draw.n_raters, 2)[rater, has_level.astype(int)]
    seen = draw.normal(0.6, N_ITEMS)[item] + draw.normal(0.4, draw.n_raters)[rater] + taste
    won = seen + 0.2 + effect * has_level + draw.normal(1, len(item)) > 0
    spread = float(np.sqrt(1 + 0.6**2 + 0.4**2 + 0.3**2))
    truth = float(special.ndtr((0.2 + effect) / spread) - special.ndtr(0.2 / spread))
    return factor_effect(np.asarray(won, dtype=np.float64), has_level, item=item, rater=rater), truth


def _scores_of_groups(draw: Draw) -> tuple[Result, float]:
    """Simulate a score of each rater in two groups, of which the first varies more."""
    gap = EFFECT * draw.has_effect
    score = gap * draw.arm + draw.normal(1, draw.n_raters) * np.where(draw.arm, 0.8, 0.5)
    return group_difference(score, draw.arm, rater=np.arange(draw.n_raters)), gap


def _judges_and_people(draw: Draw) -> tuple[Result, float]:
    """Simulate choices between two sources by two groups of raters, ties as half."""
    item, rater = draw.crossed()
    first = draw.arm[rater]
    gap = 0.2 + EFFECT * draw.has_effect * first
    sds = (0.5, 0.3, 1.0)
    level = gap + draw.normal(sds[0], N_ITEMS)[item] + draw.normal(sds[1], draw.n_raters)[rater]
    level = level + draw.normal(sds[2], len(item))
    value = np.where(np.abs(level) < 0.3, 0.5, level > 0)
    spread = float(np.sqrt(sum(sd**2 for sd in sds)))

    def preferred(at: float) -> float:
        return float(special.ndtr((at - 0.3) / spread) + special.ndtr((at + 0.3) / spread)) / 2

    truth = preferred(0.2 + EFFECT * draw.has_effect) - preferred(0.2)
    return pool_difference(value, first, unit=item, item=item, rater=rater), truth


def _changes(draw: Draw) -> tuple[Result, float]:
    """Simulate the change of a score in two groups of raters, of which the first varies more."""
    gap = EFFECT * draw.has_effect
    change = gap * draw.arm + draw.normal(1, draw.n_raters) * np.where(draw.arm, 0.8, 0.5)
    return group_difference(change, draw.arm, rater=np.arange(draw.n_raters)), gap


def _texts(draw: Draw) -> tuple[Result, float]:
    """Simulate a measure of the texts of two sources on as many items as there are raters elsewhere."""
    item = np.tile(np.arange(draw.n_raters), 2)
    is_mine = np.repeat([True, False], draw.n_raters)
    gap, usual = EFFECT * draw.has_effect, draw.normal(1, draw.n_raters)
    value = usual[item] + draw.normal(0.5, len(item)) * np.where(is_mine, 1.5, 1) + gap * is_mine
    return mean_difference(value, is_mine, item=item, rater=item), gap


SIMULATIONS: dict[str, Simulation] = {
    "factor_effect, between raters": _between_raters,
    "factor_effect, within raters": _within_raters,
    "interaction with a group of raters": _interaction,
    "percent_change": _percent,
    "share_difference, for codes too": _share,
    "attribute_effect, twelve sources": _attribute,
    "amce": _amce,
    "pool_difference": _pools,
    "pool_correlation": _pool_correlation,
    "covariate_slope_by_source, between raters": _score_of_raters,
    "covariate_slope_by_source, within raters": _length_within,
    "turn_slope": _turn_slope,
    "turn_slope_difference": _turn_slope_difference,
    "whole_on_turns": _whole,
    "change_difference": _change,
    "empathic_accuracy": _empathic,
    "span_f1": _spans,
    "phi_coefficient": _phi,
    "trade_off": _traded,
    "pool_empathic_difference": _empathic_groups,
    "pool_preference_difference": _judges_and_people,
    "pool_change_difference": _changes,
    "item_attribute_interaction": _errors,
    "item_attribute_effect": _altered,
    "item_attribute_accuracy, or of a code": _right_answers,
    "item_attribute_preference": _preferred_by_item,
    "pool_difference, scores of raters": _scores_of_groups,
    "text_difference, 4 to 20 items": _texts,
}
# those that are also simulated without an effect
WITH_NULL = (
    *("trade_off", "pool_empathic_difference", "pool_preference_difference", "pool_change_difference"),
    *("item_attribute_interaction", "item_attribute_effect", "item_attribute_accuracy, or of a code"),
    *("item_attribute_preference", "pool_difference, scores of raters", "text_difference, 4 to 20 items"),
)
# simulations with raters in two arms, and those that are slow because of a mixed model
WITH_ARMS = frozenset(
    {
        "factor_effect, between raters",
        "interaction with a group of raters",
        "attribute_effect, twelve sources",
        "pool_difference",
        "pool_correlation",
        "change_difference",
        "pool_empathic_difference",
        "pool_preference_difference",
        "pool_change_difference",
        "pool_difference, scores of raters",
    }
)
SLOW = frozenset({"turn_slope", "turn_slope_difference"})
