"""A model that was asked with several prompts: what it concludes over all of them, and how far the prompts differ."""

from collections.abc import Iterator, Mapping

import numpy as np

from app.analysis.data.answers import Answers, Choices
from app.analysis.data.encoded_study import Floats, Raters
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.judges.contrasts import SECTION, contrast_values, pairs_of_sources, unit_of
from app.analysis.statistic import Bounds, Column, PageTable, Statistic, declare
from app.stats.comparison.prompts import over_prompts

MIN_PROMPTS = 2

declare(
    Statistic(
        "prompts_share_preferred",
        "Share of the judge's choices preferring the source over the reference, over all prompts",
        "share",
        docs="judges",
        no_difference=0.5,
    ),
    Statistic(
        "prompts_mean_difference",
        "Mean of the judge's ratings of the source minus the reference, over all prompts",
        "points",
        docs="judges",
        no_difference=0.0,
        bounds=Bounds(times=1),
    ),
    Statistic("prompts_sd_of_share", "Standard deviation between prompts", "share_points", docs="judges"),
    Statistic("prompts_sd", "Standard deviation between prompts", "points", docs="judges"),
)
OVER_PROMPTS = PageTable(
    "What a model concludes over several prompts, with 95% CIs for new items and new prompts",
    (
        Column("Source preferred, or source minus reference", ("prompts_share_preferred", "prompts_mean_difference")),
        Column("Standard deviation between prompts", ("prompts_sd_of_share", "prompts_sd")),
    ),
)


def prompt_grids(data: AnyQuestionData, own_of: Mapping[int, Answers]) -> Iterator[Estimate]:
    """Yield each source against the reference for each model that was asked with two prompts or more.

    Args:
        data: the question data.
        own_of: the answers of each judge, by its code, as in `judge_contrasts`.
    """
    for codes in _grids(data.codes.raters, own_of):
        every = data.answers.select(np.isin(data.answers.rater, codes))
        scope: Scope = {"rater_kind": "model", "raters": [data.codes.raters.ids[code] for code in codes]}
        for where in pairs_of_sources(data):
            table = _table(data, {code: own_of[code] for code in codes}, where)
            is_share = isinstance(data.answers, Choices)
            found = over_prompts(table, null=0.5 if is_share else 0.0, is_share=is_share)
            names = ("prompts_share_preferred", "prompts_sd_of_share") if is_share else _OF_RATINGS
            for name, result in zip(names, (found.mean, found.sd), strict=True):
                own: Scope = {**scope, **where}
                yield data.record(result, every, section=SECTION, scope=own, statistic=name, unit=unit_of(every))


_OF_RATINGS = ("prompts_mean_difference", "prompts_sd")


def _grids(raters: Raters, own_of: Mapping[int, Answers]) -> Iterator[list[int]]:
    """Yield the judges of each model that have the name of a prompt, if there are two prompts or more."""
    of_model: dict[int, list[int]] = {}
    for code in own_of:
        if raters.prompt[code]:
            of_model.setdefault(int(raters.counts_as[code]), []).append(code)
    for codes in of_model.values():
        if len({raters.prompt[code] for code in codes}) >= MIN_PROMPTS:
            yield codes


def _table(data: AnyQuestionData, own_of: Mapping[int, Answers], where: Scope) -> Floats:
    """What each prompt says of each item; several judges with one prompt count as their mean."""
    prompt_of = {code: data.codes.raters.prompt[code] for code in own_of}
    prompts = [*dict.fromkeys(prompt_of.values())]
    n_items = data.codes.responses.n_items
    total, n = np.zeros((2, n_items, len(prompts)))
    for code, own in own_of.items():
        values = contrast_values(data, own, where)
        known = np.isfinite(values.value)
        place = prompts.index(prompt_of[code])
        total[:, place] += np.bincount(values.item[known], values.value[known], n_items)
        n[:, place] += np.bincount(values.item[known], minlength=n_items)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)
