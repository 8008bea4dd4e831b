"""The tables of each section: one row per question and scope, and one column per main statistic."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from app.analysis.estimate import Estimate, Unit, without
from app.analysis.report.sentences import test_of
from app.analysis.report.verdicts import decisive_p
from app.analysis.sections import (
    answer_keys,
    belief,
    categories,
    choice,
    choice_models,
    code_differences,
    coefficients,
    comparison,
    composites,
    dimensions,
    disagreement,
    factor_structure,
    factors,
    heterogeneity,
    pools,
    rankings,
    subgroups,
    turns,
)
from app.analysis.sections.judges import balance, calibration, drift, model_judges, prompts, together
from app.analysis.statistic import Column, PageTable, declared
from app.analysis.wording.formatting import (
    REASONS,
    UNADJUSTED,
    estimate_text,
    interval_text,
    kind_of,
    name_text,
    scope_text,
    statistic_text,
    why_text,
)
from app.base.numbers import MINUS, p_text
from app.protocol.labels import Labels
from app.results.charts.table import Table
from app.results.pages.sections.rater_tables import without_repeated

# Which tables each section has, in the order of reading; their columns are declared with the statistics.
TABLES: dict[str, tuple[PageTable, ...]] = {
    "comparison": (
        comparison.DIFFERENCES,
        comparison.SHARES,
        comparison.MARGINS,
        dimensions.CORRELATIONS,
        composites.CONSISTENCIES,
        factor_structure.LOADINGS,
    ),
    "preference": (choice.PREFERENCES, choice_models.STRENGTHS, choice.POSITION, rankings.RANKS),
    "codes": (categories.SHARES, code_differences.DIFFERENCES, answer_keys.AGAINST_KEY),
    "agreement": (coefficients.COEFFICIENTS,),
    "conditions": (factors.EFFECTS, subgroups.BY_CONDITION, belief.BELIEFS),
    "subgroups": (subgroups.BY_ATTRIBUTE, pools.BY_GROUP),
    "turns": (turns.CHANGES,),
    "judges": (
        model_judges.AGAINST_PEOPLE,
        prompts.OVER_PROMPTS,
        together.TOGETHER,
        balance.BALANCE,
        model_judges.BIASES,
        drift.OVER_TIME,
        calibration.CALIBRATED,
    ),
    "items": (heterogeneity.VARIATION, disagreement.SPLIT),
}
MAX_ROWS, MAX_REASONS = 30, 3
CONFUSION = "confusion_share"
NO_BREAK_SPACE = "\u00a0"
ALL_RATINGS = "all ratings"
NO_WEIGHT = "Where its weight is 0, a judge saves no human ratings, and the estimate is that of people alone."
DASH = "– not estimable: "
OF_FIRST = "p and the number of ratings are those of the first estimate in a row."
IGNORES_CLUSTERS = (
    "These tests take answers as independent, although items and raters recur: p is below .05 too often by chance."
)
NO_PREDICTION = (
    "the prediction interval would include nearly all possible values, so that the effect on a new item, or of a new "
    "rater, could be almost anything"
)

# The records of a row, by statistic, unit and covariate.
Found: TypeAlias = "dict[tuple[str, Unit | None, str | None], Estimate]"


@dataclass(frozen=True, slots=True)
class Block:
    """A table with its caption and notes; `more` contains the rows that do not fit, one click away."""

    caption: str
    table: Table
    more: Table | None
    notes: tuple[str, ...]
    anchor: str = ""


def blocks_of(part: str, estimates: Sequence[Estimate], labels: Labels) -> Iterator[Block]:
    """The tables of a section that are not empty."""
    for table in TABLES.get(part, ()):
        keys = {key for column in table.columns for key in column.statistics}
        block = _block(table.caption, table.columns, [f for f in estimates if f.statistic in keys], labels)
        if block is not None:
            told = _of_judge_and_people(estimates) if table is together.TOGETHER else ()
            yield replace(block, notes=(*told, *block.notes))
    yield from _others(part, estimates, labels)


def _of_judge_and_people(estimates: Sequence[Estimate]) -> Iterator[str]:
    if any(f.statistic == "judge_weight" and f.estimate == 0 for f in estimates):
        yield NO_WEIGHT
    yield from together.sample_notes(estimates)


def _others(part: str, estimates: Sequence[Estimate], labels: Labels) -> Iterator[Block]:
    """A table for each contrast that is in none of the tables above, and the confusion tables of answer keys."""
    known = {key for table in TABLES.get(part, ()) for column in table.columns for key in column.statistics}
    others = [f for f in estimates if f.section in {"contrast", "category"} and f.statistic not in known]
    names = {f.statistic for f in others if f.section == "contrast"}
    # differences from the reference, so that a test of pairs has every pair
    others = [f for f in estimates if f.section == "comparison" and f.statistic in names and _is_pair(f)] + others
    # the same effect on ratings and on choices has two units, and a table for each
    for name, words in dict.fromkeys(
        (f.statistic, name_text(f)) for f in others if f.estimate is not None and f.statistic != CONFUSION
    ):
        of = [f for f in others if (f.statistic, name_text(f)) == (name, words)]
        block = _block(words, (Column("Estimate", (name,)),), of, labels)
        if block is not None:
            yield block
    for key in dict.fromkeys(f.measured for f in others if f.statistic == CONFUSION):
        shares = {
            (f.scope["correct"], f.scope["category"]): f
            for f in others
            if (f.measured, f.statistic) == (key, CONFUSION)
        }
        yield _confusion(labels.question(key or ""), shares)


def _is_pair(estimate: Estimate) -> bool:
    return estimate.scope.keys() == {"source", "reference"}


def _confusion(name: str, shares: dict[tuple[str, str], Estimate]) -> Block:
    """One row per correct code, with the share of answers for each code."""
    given = list(dict.fromkeys(code for _, code in shares))
    rows = tuple(
        (right, *(estimate_text(f) if (f := shares.get((right, code))) else "–" for code in given))
        for right in dict.fromkeys(right for right, _ in shares)
    )
    return Block(f"{name}: confusion table", Table(("Correct", *given), rows), None, ())


def _block(caption: str, columns: Sequence[Column], estimates: Sequence[Estimate], labels: Labels) -> Block | None:
    fitting = [f for f in estimates if any(_fits(column, f) for column in columns)]
    rows = _rows(fitting, labels)
    shown = [column for column in columns if _is_known(column, rows.values())]
    kept = {place: found for place, found in rows.items() if any(_cell(column, found) for column in shown)}
    if not kept:
        why = tuple(f"{caption}: {note.removeprefix(DASH)}" for note in _notes(rows.values(), columns))
        return Block(caption, Table((), ()), None, why) if why else None
    main = [_first(shown, found) for found in kept.values()]
    tested = [f for f in main if f is not None and f.p_value is not None]
    # a column in which every row says the same says nothing
    n_places = 1 if {of for _, of in kept} == {ALL_RATINGS} else 2
    p_words = "Adjusted p" if any(f.p_adjusted is not None for f in tested) else "p"
    header = (
        *("Question", "Comparison or group")[:n_places],
        *(column.words for column in shown),
        *((p_words,) if tested else ()),
    )
    lines = [
        (
            *place[:n_places],
            *(_cell(column, found) or "–" for column in shown),
            *((p_text(decisive_p(f) if f is not None else None) or "–",) if tested else ()),
        )
        for (place, found), f in zip(kept.items(), main, strict=True)
    ]
    table = Table(
        (*header, "Ratings"),
        tuple((*line, _n(f, found)) for line, f, found in zip(lines, main, kept.values(), strict=True)),
    )
    if all(f.unit == "item" for found in kept.values() for f in found.values()):
        table = Table(header, tuple(lines))
    first, rest = Table(table.header, table.rows[:MAX_ROWS]), Table(table.header, table.rows[MAX_ROWS:])
    notes = (
        *_declared_tests(kept.values(), shown),
        *_about_p(tested, shown, kept.values()),
        *_notes(rows.values(), shown),
        *_about_intervals(rows.values(), shown),
    )
    return Block(caption, first, rest if rest.rows else None, notes)


def _declared_tests(rows: Iterable[Found], columns: Sequence[Column]) -> Iterator[str]:
    """Where the interval of a difference is that of a declared test, and others beside it are not."""
    shown = [f for found in rows for column in columns if (f := _find(column, found)) is not None]
    tests = (test_of(f) for f in shown if (f.statistic, f.unit) == ("mean_difference", "item_mean"))
    yield from (
        f"Intervals of the primary contrasts are those of the declared test ({test})." for test in dict.fromkeys(tests)
    )


def _rows(estimates: Sequence[Estimate], labels: Labels) -> dict[tuple[str, str], Found]:
    """Estimates by question and scope: for each question, first all ratings, then parts of them."""
    asked = list(dict.fromkeys(f.measured for f in estimates))
    rows: dict[tuple[str, str], Found] = {}
    of_parts = without_repeated(estimates)
    chosen = {f.measured for f in estimates if declared(f.statistic).is_of_choices}
    for f in sorted(of_parts, key=lambda f: (asked.index(f.measured), len(f.scope), "pool" in f.scope)):
        is_within_pool = {"pool", "source"} <= f.scope.keys() and f.section == "agreement"
        if not {"flagged", "sensitivity"} & f.scope.keys() and not is_within_pool:
            rows.setdefault((_label(f, labels), _of(f, is_chosen=f.measured in chosen)), {}).setdefault(_kind(f), f)
    return rows


def _kind(f: Estimate) -> tuple[str, Unit | None, str | None]:
    return f.statistic, f.unit, f.scope.get("covariate")


def _is_known(column: Column, rows: Iterable[Found]) -> bool:
    return any(_cell(column, found) for found in rows)


def _fits(column: Column, f: Estimate) -> bool:
    """Whether a column shows an estimate."""
    is_cut = column.has_cut is None or column.has_cut == ("cut" in f.scope)
    is_covariate = column.covariate in {None, f.scope.get("covariate")}
    is_kind = column.unit in {None, f.unit} and column.kind in {None, kind_of(f)}
    return f.statistic in column.statistics and is_kind and is_cut and is_covariate


def _find(column: Column, found: Found) -> Estimate | None:
    fitting = [f for f in found.values() if _fits(column, f)]
    return min(fitting, key=lambda f: column.statistics.index(f.statistic), default=None)


def _cell(column: Column, found: Found) -> str:
    """Estimate and interval on two lines; empty if there is neither."""
    estimate = _find(column, found)
    if estimate is None or (estimate.estimate is None and estimate.ci_low is None):
        return ""
    if test := statistic_text(estimate):
        return test.replace(" ", NO_BREAK_SPACE)
    return f"{estimate_text(estimate)}\n{interval_text(estimate) if estimate.ci_low is not None else ''}".strip()


def _notes(rows: Iterable[Found], columns: Sequence[Column]) -> tuple[str, ...]:
    """The reasons for dashes, each once, most frequent first."""
    reasons: Counter[str] = Counter()
    for found in rows:
        missing = (f for column in columns if (f := _find(column, found)) is not None and f.estimate is None)
        whys = (why_text(f).removeprefix("not shown: ").removeprefix("not estimable: ") for f in missing)
        reasons.update(why.rstrip(".") for why in whys)
    return (*(f"{DASH}{why}." for why, _ in reasons.most_common(MAX_REASONS)), *_without_interval(rows, columns))


def _about_intervals(rows: Iterable[Found], columns: Sequence[Column]) -> Iterator[str]:
    """What is to be known of intervals of few raters, with their column, each sentence once."""
    shown = ((column, f) for found in rows for column in columns if (f := _find(column, found)) is not None)
    said = Counter(
        f"{column.words}: {words[:1].lower()}{words[1:]}" for column, f in shown for words in f.interval_warnings
    )
    yield from (words for words, _ in said.most_common(MAX_REASONS))


def _without_interval(rows: Iterable[Found], columns: Sequence[Column]) -> Iterator[str]:
    """Why estimates have no interval, each reason once, with how many of them there are."""
    reasons: Counter[str] = Counter()
    for found in rows:
        bare = (f for column in columns if (f := _find(column, found)) is not None and f.estimate is not None)
        reasons.update(
            NO_PREDICTION if f.procedure == "prediction_distribution" else REASONS[f.ci_reason]
            for f in bare
            if f.ci_low is None and f.ci_reason
        )
    yield from (f"No interval ({n}): {why}." for why, n in reasons.most_common(MAX_REASONS))


def _label(estimate: Estimate, labels: Labels) -> str:
    return labels.question(estimate.question, estimate.category) if estimate.question else "All questions"


def _of(estimate: Estimate, *, is_chosen: bool) -> str:
    """The scope of the row, without the kind of raters if the section makes it clear; a choice is against another."""
    is_named = len(estimate.scope) == 1 or estimate.section == "contrast"
    hidden = {"covariate"} if estimate.statistic == "share_preferred_at_equal" else set()
    hidden |= set() if is_named else {"rater_kind"}
    # the label of the question names the code
    hidden |= {"category"} if estimate.category else set()
    scope = without(estimate.scope, *hidden)
    return scope_text(scope, between="against" if is_chosen else MINUS) if scope else ALL_RATINGS


def _first(columns: Sequence[Column], found: Found) -> Estimate | None:
    """The first estimate of a row: the p-value and the number of ratings beside it are its own."""
    cells = (_find(column, found) for column in columns if _cell(column, found))
    return next((f for f in cells if f is not None), None)


def _about_p(tested: Sequence[Estimate], columns: Sequence[Column], rows: Iterable[Found]) -> Iterator[str]:
    """How to read the p-values of a table."""
    cells = [[f for c in columns if _cell(c, found) and (f := _find(c, found)) is not None] for found in rows]
    if tested and any(len([f for f in row if f.p_value is not None]) > 1 for row in cells):
        yield OF_FIRST
    has_interval = any(f.ci_low is not None for row in cells for f in row)
    if has_interval and any(f.p_adjusted is not None for f in tested):
        yield UNADJUSTED
    if any(f.ignores_clusters for f in tested):
        yield IGNORES_CLUSTERS


def _n(first: Estimate | None, found: Found) -> str:
    """The ratings of the first estimate of a row; of an interaction, they would be those of all groups."""
    n = first.n_ratings if first is not None else None
    return f"{max((f.n_ratings or 0 for f in found.values()), default=0) if n is None else n:,}"
