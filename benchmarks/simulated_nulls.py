"""Studies of the design of each template without an effect: `type_one` counts how often the primary test rejects.

Items and raters are drawn anew for each study. They differ in level, and in what they make of each source (or level of
the factor), so that a source may be rated higher by these raters on these items, but not by raters on items in general.
Ratings are points of a scale. The number of raters follows from the design: ratings per response and trials per rater.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from app.stats.accuracy.empathic import empathic_accuracy_difference
from app.stats.arrays import Bools, Floats, Ints
from app.stats.choice.preference_shares import LOST, TIE, WON, ranked_pairs, share_preferred
from app.stats.comparison.change import change, change_difference
from app.stats.comparison.describe import mean_difference, share
from app.stats.comparison.percent import percent_change
from app.stats.comparison.pools import group_difference, pool_difference
from app.stats.comparison.rank_tests import compare_responders
from app.stats.comparison.t_tests import mean_difference_responders, t_unpaired
from app.stats.factors import amce, attribute_effect, factor_effect, interaction
from app.stats.linear.slopes import covariate_slope, turn_slope_difference
from app.stats.mixed.lmm import mean_difference_lmm
from app.stats.proportions.share_difference import category_difference, chi_square
from app.stats.result import Result
from app.stats.trade_off import trade_offs
from benchmarks.groups_of_raters import Answers, accuracy, drawn, macro_f1, marked_f1

Null = Callable[[np.random.Generator], Result]

N_ITEMS = 40
# with one rating per response and ten per rater, so that an arm has twenty raters
N_ITEMS_RATED_ONCE = 200
SD_ITEM, SD_RATER, SD_ITEM_SOURCE, SD_RATER_SOURCE, SD_NOISE = 0.6, 0.6, 0.4, 0.4, 1.0
SD_RESPONDER = 0.4
SD_MODEL = 0.4
LOWEST, MIDDLE, HIGHEST = 1, 3, 5
PAIR = 2


class Where(TypedDict):
    """Item and rater of each rating, as the statistics take them."""

    item: Ints
    rater: Ints


@dataclass(frozen=True)
class Shown:
    """The trials of one study: item, rater and source (or level) of each, codes from 0, shape (n,)."""

    item: Ints
    rater: Ints
    source: Ints

    @property
    def two(self) -> Shown:
        """The trials of the first two sources."""
        return Shown(*(code[self.source < PAIR] for code in (self.item, self.rater, self.source)))

    @property
    def is_second(self) -> Bools:
        return np.asarray(self.source == 1)

    @property
    def where(self) -> Where:
        return {"item": self.item, "rater": self.rater}


def within(rng: np.random.Generator, n_sources: int, per_trial: int, per_rater: int, n_items: int = N_ITEMS) -> Shown:
    """Return single trials: each response is rated `per_trial` times, each rater rates any `per_rater` responses."""
    response = np.tile(rng.permutation(n_items * n_sources), per_trial)
    rater = np.arange(len(response)) // per_rater
    return Shown(response // n_sources, rater, response % n_sources)


def together(rng: np.random.Generator, n_sources: int, per_trial: int, per_rater: int) -> Shown:
    """Return trials in which a rater sees all sources of an item at once."""
    trials = within(rng, 1, per_trial, per_rater)
    item, rater = (np.repeat(code, n_sources) for code in (trials.item, trials.rater))
    return Shown(item, rater, np.tile(np.arange(n_sources), len(trials.item)))


def between(rng: np.random.Generator, n_arms: int, per_trial: int, per_rater: int, n_items: int = N_ITEMS) -> Shown:
    """Return trials in which each rater sees one source (or level) only."""
    arms = [within(rng, 1, per_trial, per_rater, n_items) for _ in range(n_arms)]
    n_raters = int(arms[0].rater.max()) + 1
    item, rater = (
        np.concatenate(codes)
        for codes in ([arm.item for arm in arms], [arm.rater + k * n_raters for k, arm in enumerate(arms)])
    )
    return Shown(item, rater, np.repeat(np.arange(n_arms), len(arms[0].item)))


def levels(rng: np.random.Generator, shown: Shown, noise: float = SD_NOISE) -> Floats:
    """Return what raters make of what they see, a normal variable of mean 0."""
    n_items, n_raters, n_sources = (int(code.max()) + 1 for code in (shown.item, shown.rater, shown.source))
    return (
        rng.normal(0, SD_ITEM, n_items)[shown.item]
        + rng.normal(0, SD_RATER, n_raters)[shown.rater]
        + rng.normal(0, SD_ITEM_SOURCE, (n_items, n_sources))[shown.item, shown.source]
        + rng.normal(0, SD_RATER_SOURCE, (n_raters, n_sources))[shown.rater, shown.source]
        + rng.normal(0, noise, len(shown.item))
    )


def rated(rng: np.random.Generator, shown: Shown) -> Floats:
    """Return ratings from 1 to 5."""
    return points(levels(rng, shown))


def points(level: Floats) -> Floats:
    return np.clip(np.rint(MIDDLE + level), LOWEST, HIGHEST)


def _means(shown: Shown, value: Floats, test: Callable[..., Result] = mean_difference) -> Result:
    """Return the difference in means of the first two sources."""
    here, two = shown.source < PAIR, shown.two
    return test(value[here], two.is_second, **two.where)


def _rated_within(
    n_sources: int, per_trial: int, per_rater: int, n_questions: int = 1, test: Callable[..., Result] = mean_difference
) -> Null:
    """Return studies of single trials; `n_questions` make up a composite."""

    def null(rng: np.random.Generator) -> Result:
        shown = within(rng, n_sources, per_trial, per_rater)
        level = levels(rng, shown, 0.0)
        asked = [points(level + rng.normal(0, SD_NOISE, len(level))) for _ in range(n_questions)]
        return _means(shown, np.mean(asked, axis=0), test)

    return null


def _rated_together(per_trial: int, per_rater: int) -> Null:
    def null(rng: np.random.Generator) -> Result:
        shown = together(rng, PAIR, per_trial, per_rater)
        return _means(shown, rated(rng, shown))

    return null


def _chosen(rng: np.random.Generator, shown: Shown, tie_within: float) -> Ints:
    """Return the outcome of each pair, from the second response's point of view."""
    gap = levels(rng, shown).reshape(-1, PAIR) @ [-1, 1]
    return np.where(np.abs(gap) < tie_within, TIE, np.where(gap > 0, WON, LOST))


def _choice(per_trial: int, per_rater: int, tie_within: float) -> Null:
    def null(rng: np.random.Generator) -> Result:
        shown = together(rng, PAIR, per_trial, per_rater)
        return share_preferred(_chosen(rng, shown, tie_within), item=shown.item[::PAIR], rater=shown.rater[::PAIR])

    return null


def _ayers_published(rng: np.random.Generator) -> Result:
    shown = together(rng, PAIR, 3, 6)
    return t_unpaired(rated(rng, shown), shown.is_second, **shown.where)


def _three_points(rng: np.random.Generator) -> tuple[Shown, Floats]:
    shown = between(rng, 3, 1, 10, N_ITEMS_RATED_ONCE)
    return shown, np.clip(np.rint(2 + levels(rng, shown)), 1, 3)


def _three_point_mean(rng: np.random.Generator) -> Result:
    return _means(*_three_points(rng))


def _three_point_percent(rng: np.random.Generator) -> Result:
    shown, value = _three_points(rng)
    here, two = shown.source < PAIR, shown.two
    return percent_change((value[here] == 3).astype(np.float64), two.is_second, **two.where)


def _three_point_published(rng: np.random.Generator) -> Result:
    shown, value = _three_points(rng)
    return chi_square(np.array([np.bincount(value[shown.source == k].astype(int) - 1, minlength=3) for k in range(3)]))


def _change(rng: np.random.Generator) -> Result:
    """Return a study in which the small noise of one arm and the different size of both are those of chance."""
    n_raters = int(between(rng, PAIR, 3, 5).rater.max()) + 1
    before = rng.normal(size=n_raters)
    after = 0.6 * before + rng.normal(0, 0.8, n_raters)
    return change_difference(points(before), points(after), np.arange(n_raters) < n_raters / PAIR)


def _rated_between(n_arms: int, per_trial: int, per_rater: int) -> Null:
    def null(rng: np.random.Generator) -> Result:
        shown = between(rng, n_arms, per_trial, per_rater)
        return _means(shown, rated(rng, shown))

    return null


def _coded(n_sources: int, per_trial: int, per_rater: int) -> Null:
    def null(rng: np.random.Generator) -> Result:
        shown = within(rng, n_sources, per_trial, per_rater)
        has_code = (levels(rng, shown) > 1).astype(np.float64)[shown.source < PAIR]
        return category_difference(has_code, shown.two.is_second, **shown.two.where)

    return null


def _by_factor(rng: np.random.Generator) -> tuple[Shown, Bools, Floats]:
    """Return trials of two sources with a factor within raters: each is shown at a random level."""
    shown = within(rng, PAIR, 3, 4)
    cell = shown.source + PAIR * rng.integers(0, PAIR, len(shown.source))
    return shown, cell >= PAIR, rated(rng, Shown(shown.item, shown.rater, cell))


def _factor_within(rng: np.random.Generator) -> Result:
    shown, has_level, value = _by_factor(rng)
    return factor_effect(value, has_level, **shown.where)


def _interaction_within(rng: np.random.Generator) -> Result:
    shown, has_level, value = _by_factor(rng)
    return interaction(value, shown.is_second, has_level, **shown.where)


def _factor_between(rng: np.random.Generator) -> Result:
    """Return raters with one of three instructions, who rate responses of two sources."""
    arms = [within(rng, PAIR, 3, 8) for _ in range(PAIR)]
    n_raters = int(arms[0].rater.max()) + 1
    item = np.concatenate([arm.item for arm in arms])
    rater = np.concatenate([arm.rater + k * n_raters for k, arm in enumerate(arms)])
    level = np.repeat(np.arange(PAIR), len(arms[0].item))
    source = np.concatenate([arm.source for arm in arms])
    value = rated(rng, Shown(item, rater, source + PAIR * level))
    return factor_effect(value, level == 1, item=item, rater=rater)


def _conjoint(rng: np.random.Generator) -> Result:
    value, both, attributes = _choices_of_four(rng)
    return amce(value, attributes, **both.where)[0].effect


def _traded(rng: np.random.Generator) -> Result:
    """Return a study in which both attributes count the same."""
    value, both, attributes = _choices_of_four(rng, worth=0.5)
    return trade_offs(value, attributes, **both.where)[0].ratio


def _choices_of_four(rng: np.random.Generator, worth: float = 0.0) -> tuple[Floats, Shown, dict[str, Ints]]:
    """Return choices between two of four responses to an item, all combinations of two attributes of equal worth."""
    per_item = np.array([(a, b) for a in range(4) for b in range(a)])
    trial = np.tile(rng.permutation(N_ITEMS * len(per_item)), 3)
    item, pair = trial // len(per_item), per_item[trial % len(per_item)]
    rater = np.arange(len(trial)) // 4
    both = Shown(np.repeat(item, PAIR), np.repeat(rater, PAIR), pair.ravel())
    more = worth * (both.source // PAIR + both.source % PAIR)
    chosen = ((levels(rng, both) + more).reshape(-1, PAIR) @ [-1, 1] > 0).astype(np.float64)
    value = np.column_stack([1 - chosen, chosen]).ravel()
    return value, both, {"accuracy": both.source // PAIR, "warmth": both.source % PAIR}


def _turns(rng: np.random.Generator) -> Result:
    """Return ratings of four turns of two dialogues per item; slopes differ between dialogues and between raters."""
    shown = within(rng, PAIR, 3, 8)
    dialogue, n_turns = shown.item * PAIR + shown.source, 4
    turn = np.tile(np.arange(n_turns), len(shown.item)).astype(np.float64)
    each = Shown(*(np.repeat(code, n_turns) for code in (shown.item, shown.rater, shown.source)))
    slope = rng.normal(0, 0.15, 2 * N_ITEMS)[dialogue] + rng.normal(0, 0.15, int(shown.rater.max()) + 1)[shown.rater]
    value = points(levels(rng, each) + np.repeat(slope, n_turns) * (turn - turn.mean()))
    return turn_slope_difference(value, turn, each.is_second, dialogue=np.repeat(dialogue, n_turns), rater=each.rater)


def _ranked(rng: np.random.Generator) -> Result:
    shown = together(rng, 3, 3, 5)
    pairs = ranked_pairs(-rated(rng, shown), np.arange(len(shown.item)) // 3)
    here = (shown.source[pairs.one] == 0) & (shown.source[pairs.other] == 1)
    one = pairs.one[here]
    return share(1 - pairs.worth[here], item=shown.item[one], rater=shown.rater[one], null=0.5)


def _score(rng: np.random.Generator) -> Result:
    """Return a score of the raters without a relation to their ratings of one source."""
    shown = within(rng, PAIR, 5, 8)
    score = rng.normal(size=int(shown.rater.max()) + 1)[shown.rater]
    mine = shown.is_second
    where: Where = {"item": shown.item[mine], "rater": shown.rater[mine]}
    return covariate_slope(rated(rng, shown)[mine], score[mine], **where).between


def _experts(n_sources: int, n_experts: int, per_trial: int) -> Null:
    """Return a study in which each response is rated by some of a few experts."""

    def null(rng: np.random.Generator) -> Result:
        response = np.repeat(np.arange(N_ITEMS * n_sources), per_trial)
        order = rng.permuted(np.tile(np.arange(n_experts), (N_ITEMS * n_sources, 1)), axis=1)
        shown = Shown(response // n_sources, order[:, :per_trial].ravel(), response % n_sources)
        return _means(shown, rated(rng, shown), mean_difference_lmm)

    return null


def _listening(rng: np.random.Generator) -> Result:
    """Return a composite of six questions by three experts, who rate everything, and a crowd."""
    crowd = within(rng, PAIR, 3, 8)
    item, source, expert = (code.ravel() for code in np.indices((N_ITEMS, PAIR, 3)))
    shown = Shown(
        np.concatenate([crowd.item, item]),
        np.concatenate([crowd.rater + 3, expert]),
        np.concatenate([crowd.source, source]),
    )
    level = levels(rng, shown, 0.0)
    asked = [points(level + rng.normal(0, SD_NOISE, len(level))) for _ in range(6)]
    return _means(shown, np.mean(asked, axis=0), mean_difference_lmm)


def _recipients(rng: np.random.Generator) -> Result:
    """Return the ratings of each item's two responses by its own recipient and by three raters of a crowd."""
    crowd = together(rng, PAIR, 3, 6)
    item, source = (code.ravel() for code in np.indices((N_ITEMS, PAIR)))
    n_crowd = int(crowd.rater.max()) + 1
    joined = Shown(
        np.concatenate([crowd.item, item]),
        np.concatenate([crowd.rater, item + n_crowd]),
        np.concatenate([crowd.source, source]),
    )
    value = rated(rng, joined)
    unit = joined.item * PAIR + joined.source
    return pool_difference(value, joined.rater >= n_crowd, unit=unit, **joined.where)


def _chosen_by_judges(rng: np.random.Generator) -> Result:
    """Return the choices of three judges on all pairs and of three people on each, none of whom prefers a side."""
    crowd = together(rng, PAIR, 3, 6)
    item, judge, source = (code.ravel() for code in np.indices((N_ITEMS, 3, PAIR)))
    n_crowd = int(crowd.rater.max()) + 1
    shown = Shown(
        np.concatenate([crowd.item, item]),
        np.concatenate([crowd.rater, judge + n_crowd]),
        np.concatenate([crowd.source, source]),
    )
    worth = np.array([0.0, 0.5, 1.0])[_chosen(rng, shown, 0.5)]
    item, rater = shown.item[::PAIR], shown.rater[::PAIR]
    return pool_difference(worth, rater >= n_crowd, unit=item, item=item, rater=rater)


def _errors_by_mood(rng: np.random.Generator) -> Result:
    """Return whether an error is seen in the responses of two sources to sad messages and to others."""
    shown = within(rng, PAIR, 3, 12)
    has_error = (levels(rng, shown) > 1).astype(np.float64)
    return interaction(has_error, shown.is_second, shown.item % PAIR == 0, **shown.where)


def _models_and_people(test: Callable[[Answers], Result], per_trial: int, per_rater: int) -> Null:
    """Return five models, which answer all items, and people who answer `per_rater` each, all right equally often."""

    def null(rng: np.random.Generator) -> Result:
        n_models = 5
        answers = drawn(rng, (0.8, 0.8), (n_models, per_trial * N_ITEMS // per_rater), N_ITEMS)
        item, rater, is_model, key, given = answers
        here = is_model | ((item - per_rater * (rater - n_models)) % N_ITEMS < per_rater)
        return test((item[here], rater[here], is_model[here], key[here], given[here]))

    return null


def _runs_and_people(rng: np.random.Generator) -> Result:
    """Return a score of five runs of a model, which differ less than people do, and of twenty people."""
    is_model = np.arange(25) < 5
    score = rng.normal(0, np.where(is_model, 0.3, 0.6), (4, 25))
    return group_difference(points(score).mean(axis=0), is_model, rater=np.arange(25))


def _swapped(rng: np.random.Generator) -> Result:
    """Return ratings of one source's responses to both versions of each message."""
    trials = within(rng, PAIR, 5, 4)
    return factor_effect(rated(rng, trials), trials.is_second, is_of_items=True, **trials.where)


def _scores(rng: np.random.Generator, n: int, n_questions: int = 3) -> tuple[Floats, Floats]:
    """Return the means of some ratings before and after of n raters."""
    level = rng.normal(0, SD_RATER, n)
    before, after = (points(level + rng.normal(0, SD_NOISE, (n_questions, n))).mean(axis=0) for _ in range(2))
    return before, after


def _changes_of_models(rng: np.random.Generator) -> Result:
    before, after = _scores(rng, 25)
    return group_difference(after - before, np.arange(25) < 5, rater=np.arange(25))


def _change_of_all(rng: np.random.Generator) -> Result:
    return change(*_scores(rng, 20))


def _vented(rng: np.random.Generator) -> Result:
    """Return changes in scores of three questions, of forty raters in each of two arms."""
    return change_difference(*_scores(rng, 80), np.arange(80) < 80 / PAIR)


def _confident(rng: np.random.Generator) -> Result:
    """Return changes in scores of two questions, of twenty raters in each of two arms."""
    return change_difference(*_scores(rng, 40, 2), np.arange(40) < 40 / PAIR)


def _weeks_later(rng: np.random.Generator) -> Result:
    """Return changes in scores of four questions, of a hundred raters in each of two arms; some do not come back."""
    before, after = _scores(rng, 200, 4)
    after[rng.random(200) < 0.2] = np.nan
    return change_difference(before, after, np.arange(200) < 200 / PAIR)


def _summed(rng: np.random.Generator) -> Result:
    """Return sums of three ratings from 0 to 2 of two responses to an item, both seen at once."""
    shown = together(rng, PAIR, 3, 6)
    level = levels(rng, shown, 0.0)
    asked = [np.clip(np.rint(0.7 + 0.6 * (level + rng.normal(0, SD_NOISE, len(level)))), 0, 2) for _ in range(3)]
    return percent_change(np.sum(asked, axis=0), shown.is_second, **shown.where)


def models_of_two_kinds(sd_model: float) -> Null:
    """Return studies of responses by five models of each of two kinds, which differ in level with this SD."""

    def null(rng: np.random.Generator) -> Result:
        shown = within(rng, 2 * 5, 3, 10)
        value = points(levels(rng, shown) + rng.normal(0, sd_model, 2 * 5)[shown.source])
        return attribute_effect(value, shown.source >= 5, shown.source, **shown.where)

    return null


def _inferred(rng: np.random.Generator) -> Result:
    """Return ratings of six moments of ten targets by twenty people and five models."""
    target, perceiver, moment = (code.ravel() for code in np.indices((10, 25, 6)))
    felt = rng.normal(size=(10, 6))[target, moment]
    skill = 0.8 + rng.normal(0, 0.3, 25)[perceiver] + rng.normal(0, 0.3, 10)[target]
    value = skill * felt + rng.normal(size=len(felt))
    return empathic_accuracy_difference(felt, value, perceiver < 5, target=target, perceiver=perceiver)


def _versions(rng: np.random.Generator) -> Result:
    """Return the answers of five models to both versions of each story, right or wrong."""
    story, version, model = (code.ravel() for code in np.indices((N_ITEMS, PAIR, 5)))
    is_right = levels(rng, Shown(story, model, version)) > -1
    return factor_effect(is_right.astype(np.float64), version == 1, item=story, rater=model, is_of_items=True)


def responders(n_items: int, test: Callable[[Floats, Shown, Ints], Result]) -> Null:
    """Return six responders against eight, each with one response to each item; `test` gets who wrote each response."""

    def null(rng: np.random.Generator) -> Result:
        value, shown, responder = _by_responders(rng, n_items)
        return test(value, shown, responder)

    return null


def min_f(value: Floats, shown: Shown, responder: Ints) -> Result:
    """Return the primary test of `responder-level`."""
    return mean_difference_responders(value, shown.is_second, item=shown.item, responder=responder)


def ranks_of_responders(value: Floats, shown: Shown, responder: Ints) -> Result:
    """Return the published test of `responder-level`."""
    return compare_responders(value, shown.is_second, responder).exact


def _by_responders(rng: np.random.Generator, n_items: int) -> tuple[Floats, Shown, Ints]:
    n_responders, n_first = 14, 6
    trial = np.tile(rng.permutation(n_items * n_responders), 3)
    responder, rater = trial % n_responders, np.arange(len(trial)) // 12
    shown = Shown(trial // n_responders, rater, (responder >= n_first).astype(np.int64))
    return points(levels(rng, shown) + rng.normal(0, SD_RESPONDER, n_responders)[responder]), shown, responder


# template -> primary tests; a test that the template names as published begins with this word
PUBLISHED = "published: "
# tests by a mixed model take a tenth of a second each
SLOW = ("mean_difference_lmm", "turn_slope_difference")
NULLS: dict[str, dict[str, Null]] = {
    "ayers-pair": {
        "share_preferred": _choice(3, 6, 0.0),
        "mean_difference": _rated_together(3, 6),
        f"{PUBLISHED}t_unpaired": _ayers_published,
    },
    "three-point": {
        "mean_difference": _three_point_mean,
        "percent_change_at_least": _three_point_percent,
        f"{PUBLISHED}chi_square_all_sources": _three_point_published,
    },
    "empathetic-dialogues": {"mean_difference": _rated_within(3, 3, 10)},
    "epitome": {"mean_difference_lmm": _rated_within(2, 2, 10, test=mean_difference_lmm)},
    "ab-tie": {"share_preferred": _choice(3, 5, 0.5)},
    "four-dimensions": {"mean_difference": _rated_within(3, 3, 10, n_questions=4)},
    "perceived-empathy": {"mean_difference": _rated_within(2, 3, 4, n_questions=9)},
    "lend-an-ear": {"mean_difference_lmm": _listening},
    "expert-panel": {"mean_difference_lmm": _experts(3, 4, 2)},
    "label-experiment": {"factor_effect": _factor_within},
    "perspective-taking": {"factor_effect": _factor_between},
    "character-knowledge": {"factor_effect": _factor_within, "interaction": _interaction_within},
    "dialogue-trajectory": {"turn_slope_difference": _turns},
    "warmth-reliability": {
        "mean_difference": _rated_within(2, 3, 12),
        "category_difference": _coded(2, 3, 12),
        "item_attribute_interaction": _errors_by_mood,
    },
    "behaviours": {"category_difference": _coded(3, 3, 15)},
    "recipient": {
        "pool_difference": _recipients,
        "share_preferred": _choice(3, 6, 0.5),
        "pool_preference_difference": _chosen_by_judges,
    },
    "rater-scales": {"covariate_slope": _score, "pool_difference": _runs_and_people},
    "bias-audit": {"item_attribute_effect": _swapped},
    "emotion-change": {"pool_change_difference": _changes_of_models, "change": _change_of_all},
    "theory-of-mind": {
        "pool_accuracy_difference": _models_and_people(accuracy, 10, 8),
        "item_attribute_accuracy": _versions,
    },
    "emotion-recognition": {
        "pool_f1_difference": _models_and_people(macro_f1, 10, 8),
        "pool_accuracy_difference": _models_and_people(accuracy, 10, 8),
    },
    "emotion-cause": {"pool_span_f1_difference": _models_and_people(marked_f1, 3, 6)},
    "responder-level": {
        "mean_difference_responders": responders(N_ITEMS, min_f),
        f"{PUBLISHED}mann_whitney": responders(N_ITEMS, ranks_of_responders),
    },
    "before-after": {"change_difference": _change, "mean_difference": _rated_between(2, 3, 5)},
    "ranking": {"share_preferred": _ranked},
    "refusal-by-turn": {"turn_slope_difference": _turns, "category_difference": _coded(2, 3, 8)},
    "conjoint": {"amce": _conjoint},
    "written-with-ai": {
        "share_preferred": _choice(3, 6, 0.5),
        "mean_difference": _rated_together(3, 6),
        "percent_change": _summed,
    },
    "suggestions": {"change_difference": _confident},
    "several-models": {"mean_difference": _rated_within(4, 3, 12)},
    "reasoning-models": {"attribute_effect": models_of_two_kinds(SD_MODEL)},
    "case-heard": {"amce": _conjoint, "trade_off": _traded},
    "empathic-accuracy": {"pool_empathic_difference": _inferred},
    "venting": {"change_difference": _vented},
    "follow-up": {"change_difference": _weeks_later},
    "empathy-scale": {"mean_difference": _rated_within(2, 5, 4, 6)},
}
