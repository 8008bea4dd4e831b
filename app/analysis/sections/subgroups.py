"""All comparisons by condition, shown label, and attributes of items and raters; and their interactions."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from app.analysis.data.answers import Answers, Choices
from app.analysis.data.encoded_study import Bools
from app.analysis.data.question_data import AnyQuestionData, ChoiceData, ScaledData
from app.analysis.data.scopes import Contrast, distinct_groups, groups, with_answers
from app.analysis.data.splits import Split
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.choice import is_between, outcomes
from app.analysis.statistic import Bounds, Column, PageTable, Recorded, Statistic, declare
from app.protocol.questions.registry import PreferenceQuestion
from app.stats.choice import preference_shares as choice_stats
from app.stats.comparison import describe
from app.stats.factors import interaction
from app.stats.result import Method, undefined

SECTION = "subgroup"
# whether a difference is another one in a subgroup: of ratings, and of shares preferred
INTERACTIONS = ("interaction", "share_difference")
AT_MEDIAN = "Split at the median."
# a question about the rater has its slope always
NEEDS_COVARIATE = f"{AT_MEDIAN} A slope over all values needs the column as a covariate under Design, Analysis."

declare(
    Statistic(
        "interaction",
        "Interaction (difference in differences)",
        "points",
        docs="comparison",
        no_difference=0.0,
        bounds=Bounds(times=2),
        tests={"interaction": Recorded(perhaps=("condition", "shown_label"))},
    ),
)
BY_CONDITION = PageTable(
    "Differences between sources in each condition, and their interaction",
    (
        Column("Mean difference", ("mean_difference",)),
        Column("Share preferred", ("share_preferred",)),
        Column("Interaction", ("interaction",)),
    ),
)
BY_ATTRIBUTE = PageTable(
    "By attribute of items and raters",
    (
        Column("Mean difference", ("mean_difference",)),
        Column("Share preferred", ("share_preferred",)),
        Column("Interaction", ("interaction",)),
        Column("Interaction, percentage points", ("share_difference",)),
    ),
)


def subgroups(data: ScaledData, split: Split) -> Iterator[Estimate]:
    """Yield the means at each level, differences between sources there, and how these differ from those elsewhere."""
    for group, answers in with_answers(distinct_groups(data.codes), data.answers):
        for level, here in _levels(split, answers):
            scope: Scope = {**group.scope, **split.scope(level)}
            for source in data.sources or (None,):
                part = answers.select(here if source is None else here & (answers.source == data.code_of(source)))
                of_source: Scope = scope if source is None else {**scope, "source": source}
                mean = describe.mean(part.value, **data.clusters_of(part))
                yield data.record(mean, part, section=SECTION, scope=of_source, statistic="mean", unit="rating")
            for source in data.sources:
                if data.reference is not None and source != data.reference:
                    of_two: Scope = {**scope, "source": source, "reference": data.reference}
                    yield from _difference(data, answers, split, level, of_two)


def _difference(data: ScaledData, answers: Answers, split: Split, level: int, scope: Scope) -> Iterator[Estimate]:
    contrast = Contrast.of(data, answers, scope)
    whole, is_mine = contrast.answers, contrast.is_mine
    at = split.of(whole)
    here, known = at == level, at >= 0
    part = whole.select(here)
    gap = describe.mean_difference(part.value, is_mine[here], **part.where)
    yield data.record(gap, part, section=SECTION, scope=scope, statistic="mean_difference", unit="rating")
    if _has_interaction(split, level):
        both = whole.select(known)
        found = interaction(both.value, is_mine[known], here[known], **both.where)
        yield data.record(found, both, section=SECTION, scope=scope, statistic="interaction", unit="rating")


def choice_subgroups(data: ChoiceData, split: Split) -> Iterator[Estimate]:
    """Yield the share preferred at each level, and its difference from the share elsewhere."""
    if data.reference is None:
        return
    for group, answers in with_answers(distinct_groups(data.codes), data.answers):
        for source in data.sources:
            if source == data.reference:
                continue
            mine = data.code_of(source)
            pairs = answers.select(is_between(answers, mine, data.code_of(data.reference)))
            scope: Scope = {**group.scope, "source": source, "reference": data.reference}
            yield from _shares(data, pairs, mine, split, scope)


def _shares(data: ChoiceData, pairs: Choices, mine: int, split: Split, scope: Scope) -> Iterator[Estimate]:
    worth = choice_stats.worth(outcomes(pairs, mine))
    known = split.of(pairs) >= 0
    for level, here in _levels(split, pairs):
        part, of_level = pairs.select(here), Scope(**scope, **split.scope(level))
        share = describe.share(worth[here], null=0.5, **part.where)
        yield data.record(share, part, section=SECTION, scope=of_level, statistic="share_preferred", unit="choice")
        if _has_interaction(split, level):
            both = pairs.select(known)
            gap = describe.mean_difference(worth[known], here[known], **both.where)
            yield data.record(gap, both, section=SECTION, scope=of_level, statistic="share_difference", unit="choice")


def not_split(data: AnyQuestionData, name: str, why: str) -> Estimate:
    """Return the record of a split that was left out."""
    is_choice = isinstance(data.question, PreferenceQuestion)
    persons = groups(data.codes)[0].of(data.answers)
    return data.record(
        undefined("not_run", why, method=Method(words="split by levels")),
        persons,
        section=SECTION,
        scope={"covariate": name},
        statistic="share_preferred" if is_choice else "mean_difference",
        unit="choice" if is_choice else "rating",
    )


def with_split(estimates: Iterable[Estimate], split: Split) -> Iterator[Estimate]:
    """Yield the estimates of a split; if it is at a median, say so, and what uses all values."""
    said = AT_MEDIAN if split.of_score else NEEDS_COVARIATE
    for estimate in estimates:
        note = " ".join(part for part in (estimate.note, said if split.is_at_median else "") if part)
        yield replace(estimate, note=note)


def _levels(split: Split, answers: Answers) -> Iterator[tuple[int, Bools]]:
    """Yield each level of these answers with its mask, if they have two or more levels."""
    at = split.of(answers)
    present = np.unique(at[at >= 0])
    for level in present if len(present) > 1 else ():
        yield int(level), np.asarray(at == level)


def _has_interaction(split: Split, level: int) -> bool:
    """Return whether to report an interaction: of two levels only the second, as the first would mirror it."""
    return len(split.levels) > 2 or level == 1  # noqa: PLR2004 - two levels
