"""Format estimates for people, in the same way on pages, under charts and in the terminal."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from app.analysis.estimate import Estimate, Part, Scope
from app.analysis.statistic import Kind, declared
from app.base.numbers import MINUS, p_text, styled, whole
from app.base.words import and_list, capitalized, number_text
from app.protocol.labels import ITEMS, ItemNouns, Labels
from app.protocol.primary import PrimaryContrast, is_of_texts
from app.protocol.study_parts import WORD_SHARE
from app.stats.result import Inference, Reason

REASONS: dict[Reason, str] = {
    "no_pairable_units": "no unit has two ratings",
    "no_variation": "the values do not vary",
    "one_cluster": "one side has only one item or one rater",
    "too_few": "too few items or raters to tell",
    "separation": "no finite value exists (separation)",
    "disconnected": "the sources are never compared with each other",
    "not_converged": "the fit did not converge",
    "singular": "the data contain too little information for the model",
    "not_run": "not computed",
    "no_upper_limit": "no upper limit",
}
# how to read a comparison whose interval would include nearly everything
TOO_FEW = "There are too few items or raters to tell whether there is a difference."
DECIMALS: dict[Kind, int] = {
    "share": 1,
    "coefficient": 2,
    "points": 2,
    "test": 2,
    "ratio": 2,
    "count": 0,
    "percent": 0,
    "share_points": 1,
    "slope": 3,
}
IN_PERCENT, WITH_SIGN = {"share", "share_points"}, {"share", "percent"}
SMALLEST_SHARE = 0.001
KNOWN_DIGITS = 9
BELOW_ZERO = "below 0"
FILTERED: tuple[Part, ...] = ("pool", "condition", "shown_label")
NO_DIFFERENCE = {0.0: "zero", 0.5: "50%", 1.0: "1 (no difference)"}
# Measures of texts that are shares; the others have units of their own.
_SHARES = frozenset({"question_share", "first_person_share", "advice_share"})
# after the name of an imported score with the name of a measure
IMPORTED = " (imported)"
OF_RATERS, OF_RATERS_ALONE = "for new raters of these {items}", "for new raters"
OF_ITEMS_ALONE = "for new {items}"
GENERALIZES: dict[Inference, str] = {
    "items": "for new {items} rated by these raters",
    "raters": OF_RATERS,
    "items_and_raters": "for new {items} and new raters",
    "items_and_prompts": "for new {items} and new prompts",
    "items_and_responders": "for new {items} and new responders",
    "ratings": "counting each rating as independent",
    "none": "",
}


def generalizes_text(estimates: Iterable[Estimate], items: ItemNouns = ITEMS) -> str:
    """Describe what these intervals generalize to; empty if there are none, or if they differ.

    What raters say about themselves rests on no items, and a measure of texts on no raters.
    """
    estimates = list(estimates)
    found = {estimate.inference for estimate in estimates} - {"none"}
    holds = GENERALIZES[found.pop()] if len(found) == 1 else ""
    if holds == GENERALIZES["items"] and all(one.n_raters == 0 for one in estimates):
        holds = OF_ITEMS_ALONE
    if holds == OF_RATERS and not any(one.n_items for one in estimates):
        holds = OF_RATERS_ALONE
    return holds.format(items=items.several)


def number(value: float, kind: Kind) -> str:
    """Format a number by its kind: shares in percent, thousands with a comma, a true minus sign and no negative zero.

    >>> number(0.7863, "share"), number(-0.0235, "coefficient"), number(-0.001, "points")
    ('78.6%', '−0.02', '0.00')
    >>> number(0.0004, "share"), number(26.88, "percent"), number(-0.031, "share_points"), number(11505.2, "count")
    ('< 0.1%', '27%', '−3.1', '11,505')
    """
    if kind == "share" and 0 < value < SMALLEST_SHARE / 2:
        return f"< {styled(f'{SMALLEST_SHARE:.1%}')}"
    decimals = DECIMALS[kind]
    # two ways to compute 1.375 differ in the last digit, and would print 1.37 and 1.38
    known = round(100 * value if kind in IN_PERCENT else value, KNOWN_DIGITS)
    rounded = round(known, decimals) + 0.0
    text = f"{rounded:,.{decimals}f}{'%' if kind in WITH_SIGN else ''}".replace("-", MINUS)
    return styled(text, is_at_most_one=kind == "coefficient")


def kind_of(estimate: Estimate) -> Kind:
    """Return how the values of an estimate are formatted: texts, ratings, codes and choices differ."""
    about = declared(estimate.statistic)
    scope = estimate.scope
    of_shares = estimate.unit == "choice" or "category" in scope or is_share(scope.get("covariate", ""))
    return about.kind_of_share if about.kind_of_share and of_shares else about.kind


def name_text(estimate: Estimate) -> str:
    """The name of the statistic, with its unit where the same statistic has another one for ratings."""
    about = declared(estimate.statistic)
    is_other = kind_of(estimate) == "share_points" != about.kind
    return f"{about.label} (percentage points)" if is_other else about.label


def is_share(covariate: str) -> bool:
    """Whether a measure of texts is a share of sentences or words."""
    return covariate in _SHARES or (covariate.startswith(WORD_SHARE) and not covariate.endswith(IMPORTED))


def estimate_text(estimate: Estimate) -> str:
    """Format the estimate; a dash if there is none.

    A reliability below 0 is shown as words, because its size has no meaning: it can be -26.
    """
    if estimate.estimate is None:
        return "–"
    if declared(estimate.statistic).is_of_mean and estimate.estimate < 0:
        return f"not interpretable ({BELOW_ZERO})"
    return number(estimate.estimate, kind_of(estimate))


def statistic_text(estimate: Estimate) -> str:
    """A test statistic as the APA prints it, such as `t(194) = 13.31`; empty for other estimates.

    Tests of counts name the number of units too: `χ²(4, N = 1,170) = 66.09`.
    """
    about = declared(estimate.statistic)
    if not about.letter or estimate.estimate is None:
        return ""
    sizes = [] if estimate.df is None else [styled(f"{estimate.df:g}")]
    if sizes and about.is_of_counts and estimate.n_units:
        sizes.append(f"N = {whole(estimate.n_units)}")
    of = f"({', '.join(sizes)})" if sizes else ""
    return f"{about.letter}{of} = {number(estimate.estimate, 'test')}"


def why_text(estimate: Estimate) -> str:
    """Return why there is no estimate: the note if there is one, otherwise the text for the reason."""
    return estimate.note or (REASONS[estimate.reason] if estimate.reason else "not estimable")


def interval_text(estimate: Estimate) -> str:
    """Format the interval, such as `0.75 to 1.01` or `from 12, no upper limit`; the reason if it is missing, if any."""
    if estimate.ci_low is not None and estimate.ci_high is not None:
        low, high = _limit(estimate.ci_low, estimate), _limit(estimate.ci_high, estimate)
        return high if high == BELOW_ZERO else f"{low} to {high}"
    if estimate.ci_low is not None and estimate.ci_reason:
        return f"from {_limit(estimate.ci_low, estimate)}, {REASONS[estimate.ci_reason]}"
    if estimate.ci_reason == "one_cluster" and estimate.n_items == 0:
        return "no interval: the question is not about items"
    if estimate.ci_reason == "one_cluster" and declared(estimate.statistic).no_difference is None:
        return "no interval: there is only one item or one rater"
    return f"no interval: {REASONS[estimate.ci_reason]}" if estimate.ci_reason else ""


def estimate_and_interval(estimate: Estimate) -> str:
    """Format the estimate with its interval in brackets, if it has one or a reason why not."""
    interval = interval_text(estimate)
    return f"{estimate_text(estimate)} ({interval})" if interval else estimate_text(estimate)


def on_two_lines(estimate: Estimate) -> str:
    """Format the estimate, and below it its interval or the reason why it has none."""
    return f"{estimate_text(estimate)}\n{interval_text(estimate)}".strip()


DEFAULT_LEVEL = 0.95
ANY_LEVEL = "CI"


def ci_heading(estimates: Iterable[Estimate]) -> str:
    """The heading of a column of intervals: their level, or none if they have several (margins have 90%)."""
    levels = {one.ci_level or DEFAULT_LEVEL for one in estimates if one.ci_low is not None} or {DEFAULT_LEVEL}
    return _level(levels.pop()) if len(levels) == 1 else ANY_LEVEL


def ci_cell(estimate: Estimate, heading: str) -> str:
    """The interval for a column of that heading, with its level where the heading has none."""
    words = interval_text(estimate)
    if heading == ANY_LEVEL and estimate.ci_low is not None:
        return f"{_level(estimate.ci_level or DEFAULT_LEVEL)} {words}"
    return words


def _level(level: float) -> str:
    return f"{100 * level:.0f}% CI"


def _limit(end: float, estimate: Estimate) -> str:
    if declared(estimate.statistic).is_of_mean and end < 0:
        return BELOW_ZERO
    return number(end, kind_of(estimate))


def inconclusive_text(estimate: Estimate, null: float) -> str:
    """Say that the interval includes `null`, the value of no difference.

    >>> from app.analysis.estimate import Estimate
    >>> share = Estimate("choice", "better", {}, "share_preferred", 0.53, 0.44, 0.62, 0.95)
    >>> inconclusive_text(share, 0.5)
    'Inconclusive: the 95% CI includes 50% (an even split).'
    """
    level = f"{100 * (estimate.ci_level or 0.95):.0f}% CI"
    if declared(estimate.statistic).is_of_choices:
        return f"Inconclusive: the {level} includes 50% (an even split)."
    return f"Inconclusive: the {level} includes {NO_DIFFERENCE.get(null, f'{null:g}')}."


# the one rule for intervals of several tests, wherever they stand beside adjusted p-values
UNADJUSTED = "Intervals are not adjusted for several tests; adjusted p-values decide what is clear."


def p_cell(estimate: Estimate) -> str:
    """Format the p-value, with the adjusted one where it is one of a family; empty without one."""
    p, adjusted = p_text(estimate.p_value), p_text(estimate.p_adjusted)
    return f"{p} (adjusted {adjusted})" if adjusted else p


def adjustment_note(estimates: Iterable[Estimate]) -> str:
    """What the intervals beside adjusted p-values are; empty where no p-value is adjusted."""
    return UNADJUSTED if any(one.p_adjusted is not None and one.estimate is not None for one in estimates) else ""


def of_text(estimate: Estimate) -> str:
    """Describe what an estimate is about: differences are source minus reference, shares source against reference."""
    is_against = declared(estimate.statistic).kind in {"share", "coefficient", "ratio", "count"}
    return scope_text(estimate.scope, between="against" if is_against else MINUS)


def scope_filter(scope: Scope) -> list[str]:
    """Return the scope as conditions on rows, without parts that restrict no rows (a cut, a covariate).

    >>> scope_filter({"source": "chatgpt", "reference": "physician", "cut": 4.0, "subgroup": {"age": "30 or more"}})
    ['source in (chatgpt, physician)', 'age = 30 or more']
    """
    sources = [str(scope[key]) for key in ("source", "reference") if key in scope]
    found = [f"source in ({', '.join(sources)})" if len(sources) > 1 else f"source = {one}" for one in sources[:1]]
    if "raters" in scope:
        found.append(f"rater in ({', '.join(scope['raters'])})")
    compared = {*_compared(scope), *(("pool",) if "reference_rater_kind" in scope else ())}
    found += [f"{key} = {scope[key]}" for key in FILTERED if key in scope and key not in compared]
    found += [f"{name} in ({', '.join(levels)})" for name, levels in _compared(scope).items()]
    found += [f"{name} = {value}" for name, value in scope.get("subgroup", {}).items()]
    found += [SENSITIVITY.get(scope["sensitivity"], scope["sensitivity"])] if "sensitivity" in scope else []
    return [*found, "rater is not flagged"] if "flagged" in scope else found


def _compared(scope: Scope) -> dict[str, tuple[str, ...]]:
    """Return further restrictions to levels: two pools, two levels of a factor or of an attribute, one turn."""
    found: dict[str, tuple[str, ...]] = {}
    if "reference_pool" in scope and "pool" in scope:
        found["pool"] = (scope["pool"], scope["reference_pool"])
    for key in ("factor", "attribute"):
        levels = tuple(str(scope[level]) for level in ("level", "reference_level") if level in scope)
        if key in scope and levels:
            found[scope[key]] = levels
    if "turn" in scope and "covariate" not in scope:
        found["turn"] = (str(scope["turn"]),)
    return found


# Covariates measured by Attune; imported scores keep the name that the lead gave them.
COVARIATES = {
    "characters": "length in characters",
    "words": "length in words",
    "length": "length (per doubling)",
    "side": "side",
    "lix": "readability (LIX, higher is harder)",
    "flesch": "readability (Flesch, higher is easier)",
    "question_share": "share of sentences that ask",
    "emoji": "number of emoji",
    "exclamation_marks": "number of exclamation marks",
    "punctuation": "number of punctuation marks",
    "sentiment": f"sentiment (VADER, {MINUS}1 to 1)",
    "first_person_share": "share of first-person words",
    "advice_share": "share of sentences with advice",
}


def covariate_text(name: str) -> str:
    """Return the label of a covariate."""
    if name.startswith(WORD_SHARE):
        return f"share of words in the list {name.removeprefix(WORD_SHARE)}"
    return COVARIATES.get(name, name)


def is_measured(name: str) -> bool:
    """Whether a covariate is measured by Attune, so that it has a name of its own."""
    return name in COVARIATES or (name.startswith(WORD_SHARE) and not name.endswith(IMPORTED))


def measure_text(name: str, labels: Labels) -> str:
    """The name of a measure of texts, or the label of an imported score."""
    return covariate_text(name) if is_measured(name) else labels.column(name)


def outcome_text(contrast: PrimaryContrast, labels: Labels) -> str:
    """What a primary contrast is about: the label of its question, or the name of a measure of texts."""
    if not is_of_texts(contrast):
        return labels.question(contrast.question)
    name = measure_text(contrast.question, labels)
    return capitalized(name)


# Another way to analyse a primary difference.
CURRENT_WORDING = "current_wording"
SENSITIVITY = {
    "rater_lowest": "without one rater, lowest",
    "rater_highest": "without one rater, highest",
    "item_lowest": "without one item, lowest",
    "item_highest": "without one item, highest",
    CURRENT_WORDING: "only answers to the current wording",
    "without_duplicates": "without duplicate texts",
    "first_half": "first half of each rater's trials",
    "believed_person": "believed to be by a person",
    "all_choices": "all combinations of choices",
}
_WORDS: dict[Part, Callable[[Any], str]] = {
    "raters": and_list,
    "condition": str,
    "covariate": covariate_text,
    "shown_label": "shown as {}".format,
    "before": "change from {}".format,
    "correct": "correct: {}".format,
    "wave": "wave {}".format,
    "bin": "probability {}".format,
    "sensitivity": lambda way: SENSITIVITY.get(way, way),
}


def _levels(name: str, scope: Scope) -> str:
    """Describe a factor or attribute with the level, or the two levels, of the estimate."""
    levels = [str(scope[key]) for key in ("level", "reference_level") if scope.get(key)]
    if name == "shown_label":
        # not the name of the column, which studies often give to a factor, too
        return f"shown as {f' {MINUS} '.join(levels)}"
    return ": ".join(part for part in (name.replace("_", " "), f" {MINUS} ".join(levels)) if part)


def _contrast_texts(scope: Scope) -> list[str]:
    """Describe what is compared apart from two sources, and for which code, turn or pool."""
    found = [_levels(str(scope[key]), scope) for key in ("factor", "attribute") if key in scope]
    found += [f"code {scope['category']}"] if "category" in scope else []
    found += [f"turn {scope['turn']}"] if "turn" in scope else []
    mine, theirs = group_text(scope), group_text(scope, "reference_")
    if theirs:
        found.append(f"{mine} {MINUS} {theirs.removeprefix('pool ') if 'pool' in scope else theirs}")
    elif "pool" in scope:
        found.append(mine)
    return found


KINDS_OF_RATERS = {"person": "persons", "model": "model judges"}


def group_text(scope: Scope, side: Literal["", "reference_"] = "") -> str:
    """The group of raters on one side of a comparison, or the pool of the raters; empty if the scope has none."""
    values: Mapping[str, Any] = scope
    if f"{side}pool" in values:
        return f"pool {values[f'{side}pool']}"
    return KINDS_OF_RATERS.get(values.get(f"{side}rater_kind", ""), "")


def _sources_text(scope: Scope, between: str) -> str:
    """The source, and what it is compared with; strengths have a row for the reference too."""
    source, reference = scope["source"], scope.get("reference")
    if reference is None:
        return str(source)
    return f"{source} (reference)" if source == reference else f"{source} {between} {reference}"


def scope_text(scope: Scope, between: str = MINUS) -> str:
    """Describe a scope in a few words.

    >>> scope_text({"source": "chatgpt", "reference": "physician", "cut": 4.0})
    'chatgpt − physician, at least 4'
    >>> scope_text({})
    'all'
    """
    parts = []
    if "source" in scope:
        parts.append(_sources_text(scope, between))
    if "cut" in scope:
        parts.append(f"at least {number_text(scope['cut'])}")
    parts += [words(scope[key]) for key, words in _WORDS.items() if key in scope]
    parts += [f"{name}: {value}" for name, value in scope.get("subgroup", {}).items()]
    if "flagged" in scope:
        parts.append("without flagged raters")
    parts += _contrast_texts(scope)
    if scope.get("rater_kind") == "model" and not group_text(scope, "reference_"):
        parts.append("model judges")
    return ", ".join(parts) or "all"
