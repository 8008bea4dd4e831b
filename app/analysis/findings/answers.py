"""The sentence that answers a primary question, in two languages, for every kind of primary contrast.

The same sentences stand on the page, in the report and in the terminal. They are made from verdicts alone, so that they
never say more than the tables.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from app.analysis.estimate import Estimate
from app.analysis.findings.answer_words import ENGLISH, GERMAN, MAX_NAMED, Words
from app.analysis.findings.main_contrasts import MainContrast, n_compared, signed
from app.analysis.report.report import Report
from app.analysis.report.sentences import change_text, cut_words, scale_ends
from app.analysis.report.verdicts import decisive_p, effect_behind
from app.analysis.statistic import declared
from app.analysis.wording.formatting import (
    covariate_text,
    estimate_text,
    interval_text,
    kind_of,
    measure_text,
    number,
    statistic_text,
)
from app.base.numbers import p_statement, styled, whole, with_minus
from app.base.words import ISOLATE, and_list, capitalized, isolated, left_to_right, number_text
from app.protocol.primary import is_of_texts
from app.protocol.study import Protocol

# The kind of clause of what is no comparison of two sources, by statistic; `OF_VALUE` have no verdict but a value.
KINDS = {
    "factor_effect": "level",
    "attribute_effect": "level",
    "item_attribute_effect": "level",
    "item_attribute_accuracy": "items_accuracy",
    "item_attribute_category": "items_category",
    "item_attribute_preference": "items_preference",
    "item_attribute_interaction": "items_interaction",
    "amce": "level",
    "trade_off": "trade_off",
    "interaction": "interaction",
    "pool_difference": "pools",
    "pool_correlation": "pools",
    "pool_change_difference": "pools_change",
    "pool_accuracy_difference": "pools_accuracy",
    "pool_f1_difference": "pools_f1",
    "pool_category_difference": "pools_category",
    "pool_preference_difference": "pools_preference",
    "pool_span_f1_difference": "pools_f1",
    "pool_empathic_difference": "pools_empathic",
    "turn_slope": "turns",
    "turn_slope_difference": "turns_difference",
    "dprime": "detection",
    "belief_effect": "belief",
    "change": "change",
    "change_difference": "change_difference",
    "accuracy_share": "accuracy",
    "f1_macro": "f1",
    "empathic_accuracy": "empathic",
    "span_f1": "span_f1",
    "text_difference": "texts",
    "n_factors": "structure",
}
OF_VALUE = {"accuracy", "f1", "empathic", "span_f1", "agreement", "structure"}
OF_COVARIATE = {"covariate", "covariate_difference"}
# the clauses that name several by "or": a list by "and" would be one group
ANY_OF = {
    f"{kind}_inconclusive"
    for kind in (
        *("at_least", "level", "chosen", "turns", "covariate", "change_level", "change_difference"),
        *("pools", "pools_raters", "pools_change", "pools_accuracy", "pools_f1", "pools_category", "pools_preference"),
        *("pools_empathic", "texts"),
        *("items_accuracy", "items_category", "items_preference", "items_interaction", "trade_off"),
    )
}
# the factor or attribute is told with the numbers
WITH_CAUSE = {
    "items_accuracy",
    "items_category",
    "items_preference",
    "items_interaction",
    "level",
    "chosen",
    "change_level",
    "change_difference",
    "trade_off",
}
# they tell what changes, not the score afterwards alone
OF_CHANGE = {"change", "change_difference", "pool_change_difference"}
# what a slope is per, or an effect is in, is not told by a number alone
OF_SCALE = {"points", "percent"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One primary estimate as an answer tells it: the effect `shown`, and what decided. Both are `labelled`.

    `is_of_points`: raters shared out points among the responses, and did not rate each.
    """

    key: str
    label: str
    shown: Estimate
    decided: Estimate
    is_reversed: bool = False
    is_of_points: bool = False

    @property
    def scope(self) -> Mapping[str, Any]:
        """What the estimate is of."""
        return self.decided.scope

    @property
    def is_share(self) -> bool:
        """Whether it is a share of choices."""
        return declared(self.shown.statistic).is_of_choices

    @property
    def null(self) -> float:
        """The value that means no difference."""
        return declared(self.shown.statistic).no_difference or 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """One question answered: the findings that it tells, and the sentence with numbers.

    `is_between_sources`: it compares sources, and a page can show each of them with its interval.
    """

    question: str
    findings: tuple[Finding, ...]
    english: str
    german: str
    is_between_sources: bool = False


def answers_of(contrasts: Sequence[MainContrast], report: Report, protocol: Protocol) -> list[Answer]:
    """One answer per primary contrast, those of sources by question and reference; the report is `labelled`.

    They are in the order of the protocol. All `contrasts` are told where the study declares no primary contrast and
    none follows from its design.
    """
    primary = [one for one in contrasts if one.primary]
    told = primary if primary or report.primary or protocol.analysis.primary else contrasts
    runs = groupby(told, key=lambda one: (one.label, one.reference))
    of_sources = [
        _answer([_finding(one, protocol) for one in run], protocol, is_between_sources=True) for _, run in runs
    ]
    places = {id(one): place for place, result in enumerate(report.primary) for one in result.estimates}
    answers = [(places.get(id(one.findings[0].decided), 0), one) for one in of_sources]
    answers += _other_answers(primary, report, protocol)
    return [one for _, one in sorted(answers, key=lambda placed: placed[0])]


def notes_of_primary(report: Report) -> dict[str, list[str]]:
    """What is to be known of the primary estimates that are there, such as items without a key that they leave out.

    Each note once, with the keys of the questions that it is about.
    """
    found: dict[str, list[str]] = {}
    for one in (effect_behind(one, report.estimates) for one in report.primary_estimates):
        if one.note and one.estimate is not None and not one.ci_reason:
            about = found.setdefault(one.note, [])
            about += [] if one.question is None or one.question in about else [one.question]
    return found


def named_notes(report: Report, protocol: Protocol) -> list[str]:
    """The notes of primary estimates, each behind its questions; warnings about intervals are objections instead."""
    warnings = {words for one in report.primary_estimates for words in one.interval_warnings}
    return [
        f"{and_list([isolated(protocol.labels.question(key)) for key in about])}: {note}"
        for note, about in notes_of_primary(report).items()
        if note not in warnings
    ]


def _finding(contrast: MainContrast, protocol: Protocol) -> Finding:
    question = protocol.question(contrast.key)
    is_of_points = question is not None and question.shares_points
    effect, answer = contrast.estimate, contrast.answer
    return Finding(contrast.key, contrast.label, effect, answer, contrast.is_reversed, is_of_points)


def _other_answers(told: Sequence[MainContrast], report: Report, protocol: Protocol) -> list[tuple[int, Answer]]:
    """One answer per primary contrast with estimates that no contrast between sources tells, with its place."""
    known = {id(one.primary) for one in told}
    found = []
    for place, result in enumerate(report.primary):
        key = result.contrast.question
        of_texts = is_of_texts(result.contrast)
        label = measure_text(key, protocol.labels) if of_texts else protocol.labels.question(key)
        is_reversed = not of_texts and bool(getattr(protocol.question(key), "reversed", False))
        rest = [
            Finding(key, label, effect_behind(one, report.estimates), one, is_reversed)
            for one in result.estimates
            if id(one) not in known
        ]
        if rest:
            found.append((place, _answer(rest, protocol)))
        elif not result.estimates:
            why = "none_with_filter" if report.filters else "no_answers"
            english, german = (_joined([words.said[why].format(on=label)]) for words in (ENGLISH, GERMAN))
            found.append((place, Answer(key, (), english, german)))
    return found


def _answer(findings: Sequence[Finding], protocol: Protocol, *, is_between_sources: bool = False) -> Answer:
    english, german = (_with_numbers(findings, protocol, words) for words in (ENGLISH, GERMAN))
    return Answer(findings[0].key, tuple(findings), english, german, is_between_sources)


def in_short(answers: Sequence[Answer], protocol: Protocol) -> list[str]:
    """The sentences between sources without numbers; questions with the same answer share one."""
    alike: dict[tuple[object, ...], list[Answer]] = {}
    for one in (each for each in answers if each.is_between_sources):
        first = one.findings[0]
        said = tuple((_outcome(each), each.scope.get("source")) for each in one.findings)
        alike.setdefault((first.is_share, first.scope.get("reference"), *said), []).append(one)
    return [_shared(same, protocol) for same in alike.values()]


def _shared(answers: Sequence[Answer], protocol: Protocol) -> str:
    on = ENGLISH.list_of(list(dict.fromkeys(isolated(one.findings[0].label) for one in answers)))
    alike: dict[str, list[Finding]] = {}
    for one in answers[0].findings:
        alike.setdefault(_outcome(one), []).append(one)
    clauses = []
    for outcome, of in alike.items():
        places = {**_places(of[0], protocol, ENGLISH), "on": on, "in_which": _in_which(on, protocol, ENGLISH)}
        clauses.append(_clause(outcome, [_who(one, ENGLISH) for one in of], places, ENGLISH))
    return _joined(clauses)


def _with_numbers(findings: Sequence[Finding], protocol: Protocol, words: Words) -> str:
    """One clause for findings that differ only in what they are of, with their numbers; scale and counts at the end."""
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for one in findings:
        places = _places(one, protocol, words)
        alike.setdefault((_outcome(one), *places.items()), []).append(one)
    shown: list[tuple[str, list[str]]] = []
    for (outcome, *_), of in alike.items():
        who = [_who(one, words) for one in of]
        told = of if len(of) <= MAX_NAMED + 1 else of[:MAX_NAMED]
        # the share is that of the source, whichever was preferred
        is_named = len(of) > 1 or (of[0].is_share and outcome != "preferred")
        numbers = [_numbers(one, words, name=name if is_named else "") for one, name in zip(told, who, strict=False)]
        numbers += [words.in_table.format(len(of) - len(told))] if len(told) < len(of) else []
        places = _places(of[0], protocol, words)
        cause = places["cause"] if _kind(of[0]) in WITH_CAUSE else ""
        shown.append((_clause(str(outcome), who, places, words), [text for text in (cause, *numbers) if text]))
    shown[-1][1].extend(_basis(findings, protocol, words))
    return _joined([f"{clause} ({'; '.join(numbers)})" if numbers else clause for clause, numbers in shown])


def _joined(clauses: Sequence[str]) -> str:
    said = "; ".join(clauses)
    if said.startswith(ISOLATE):
        return f"{left_to_right(said)}."
    return f"{capitalized(said)}."


def _kind(finding: Finding) -> str:
    """The kind of the clause; empty for a comparison of two sources."""
    scope, statistic = finding.scope, finding.decided.statistic
    if statistic in {"amce", "change"}:
        is_choice = finding.decided.unit == "choice"
        return (
            "chosen"
            if is_choice
            else "change_level"
            if statistic == "change" and "factor" in scope
            else KINDS[statistic]
        )
    if statistic == "covariate_slope_by_source":
        return "covariate_difference" if "reference" in scope else "covariate"
    if statistic == "pool_difference" and finding.decided.unit == "rater_mean":
        return "pools_raters"
    if statistic in KINDS:
        return KINDS[statistic]
    if declared(finding.shown.statistic).no_difference is None:
        is_test = bool(declared(statistic).letter)
        return "agreement" if not is_test else "distribution" if "source" in scope else "sources"
    return "at_least" if "cut" in scope else ""


def _is_of_value(finding: Finding) -> bool:
    """Whether the answer is a value, which is compared with nothing."""
    return _kind(finding) in OF_VALUE or finding.decided.statistic == "pool_correlation"


def _outcome(finding: Finding) -> str:
    """The key of the clause that tells a finding."""
    kind, value, verdict = _kind(finding), finding.shown.estimate, finding.decided.verdict
    if value is not None and _is_of_value(finding):
        return f"{kind}_value"
    if value is None or verdict is None:
        own = f"{kind}_unknown" if finding.scope.get("level") != "" else ""  # items that have no level to compare
        return own if own in ENGLISH.said else "unknown" if "reference" in finding.scope else "estimate_unknown"
    if kind in {"distribution", "sources"}:
        return f"{kind}_{verdict}"
    if margin := declared(finding.decided.statistic).margin:
        return str(verdict) if verdict == margin.verdict else f"not_{margin.verdict}"
    found = _direction(finding, value) if verdict == "clear" else "inconclusive"
    return f"{kind}_{found}" if f"{kind}_{found}" in ENGLISH.said else found


def _direction(finding: Finding, value: float) -> str:
    is_above = value > finding.null
    if finding.is_share:
        return "preferred" if is_above else "not_preferred"
    if finding.shown.statistic == "category_difference":
        return "more_often" if is_above else "less_often"
    if finding.is_of_points and not _kind(finding):
        return "more_points" if is_above else "fewer_points"
    return "higher" if is_above else "lower"


def _who(finding: Finding, words: Words) -> str:
    """What the clause is about: a source, a level or a pool; several findings of one clause differ in it."""
    scope = finding.scope
    if "reference_level" in scope or ("level" in scope and "factor" in scope):
        return words.quoted.format(isolated(scope["level"]))
    if declared(finding.decided.statistic).is_of_pools:
        return _group(finding, words)
    return isolated(str(scope.get("source") or scope.get("pool") or ""))


def _group(finding: Finding, words: Words, side: str = "") -> str:
    """One of the two groups of raters that are compared; pools are labelled already."""
    return isolated(str(finding.scope.get(f"{side}pool") or words.kinds_of_raters[finding.scope[f"{side}rater_kind"]]))


def _places(finding: Finding, protocol: Protocol, words: Words) -> dict[str, str]:
    """The words of the clause that all its findings share."""
    scope, kind, on = finding.scope, _kind(finding), finding.label
    if finding.decided.statistic in OF_CHANGE:
        on = change_text(finding.key, protocol)
    is_of_groups = declared(finding.decided.statistic).is_of_pools
    if finding.decided.category is not None and "reference" not in scope:
        on = protocol.labels.question(finding.key, finding.decided.category)
    on = isolated(on)
    if "pool" in scope and not is_of_groups:
        on += words.among_pool.format(scope["pool"])
    if "rater_kind" in scope and not is_of_groups:
        on += words.among.format(words.kinds_of_raters[scope["rater_kind"]])
    if "source" in scope and (kind in {"level", *OF_VALUE}):
        on += words.of_source.format(scope["source"])
    reference = _group(finding, words, "reference_") if is_of_groups else isolated(scope.get("reference") or "")
    if "reference_level" in scope:
        reference = words.quoted.format(scope["reference_level"])
    if kind == "trade_off":
        reference = isolated(covariate_text(str(scope["covariate"])))
    return {
        "on": on,
        "in_which": _in_which(on, protocol, words),
        "reference": reference,
        "cause": _cause(finding, kind, protocol),
        "part": _part(finding, protocol, words),
        "value": words.figure(estimate_text(finding.shown)) if _is_of_value(finding) else "",
    }


def _in_which(on: str, protocol: Protocol, words: Words) -> str:
    """The choice or ranking in which a source was preferred, unless the study has only one."""
    of_preference = [one for one in protocol.questions if one.measure in {"preference", "order"}]
    return words.in_which.format(on) if len(of_preference) > 1 else ""


def _cause(finding: Finding, kind: str, protocol: Protocol) -> str:
    """The label of the factor, attribute or covariate; the name of a coefficient of agreement."""
    scope, labels = finding.scope, protocol.labels
    if name := str(scope.get("factor") or scope.get("attribute") or ""):
        return labels.factors.get(name) or labels.column(name)
    if kind in OF_COVARIATE:
        return covariate_text(str(scope["covariate"]))
    return declared(finding.decided.statistic).name if kind == "agreement" else ""


def _part(finding: Finding, protocol: Protocol, words: Words) -> str:
    """The condition or shown label in which a difference is compared with the others; ratings at or above a cut."""
    scope = finding.scope
    if "shown_label" in scope or "condition" in scope:
        return words.quoted.format(scope.get("shown_label") or scope["condition"])
    if finding.decided.statistic in {"pool_category_difference", "item_attribute_category"}:
        return words.quoted.format(scope["category"])
    if finding.decided.statistic == "item_attribute_interaction":
        code = words.quoted.format(scope["category"])
        return words.difference.format(isolated(scope["source"] or ""), isolated(scope["reference"] or ""), code)
    if finding.decided.statistic in {"pool_preference_difference", "item_attribute_preference"}:
        return words.over.format(scope["source"], scope["reference"])
    return cut_words(finding.decided, protocol, words.or_more)


def _clause(outcome: str, names: list[str], places: Mapping[str, str], words: Words) -> str:
    """What is said of these sources, levels or pools."""
    is_one = len(names) == 1
    who, key = words.list_of(names, is_any=outcome in ANY_OF), outcome
    if outcome == "inconclusive" and not is_one:
        key = "none_differed"
        neither, nor = words.neither
        who = f"{neither} {names[0]} {nor} {names[1]}" if len(names) == len(words.neither) else f"{words.none_of} {who}"
    verbs = {verb: forms[not is_one] for verb, forms in words.verbs.items()}
    return words.said[key].format(who=who, **places, **verbs)


# reasons of which the note says what is missing
_SAID_IN_NOTE = ("no_pairable_units", "singular")


def _numbers(finding: Finding, words: Words, *, name: str) -> str:
    """The effect with its interval, and the p-value that decided; why there is none. `name` says of what it is."""
    one = finding.shown
    if one.estimate is None:
        is_of_answers = one.section != "text"
        why = words.reasons[one.reason] if one.reason else ""
        # of comparisons, each has its own: no item in common, or nobody in an arm
        is_in_note = one.reason in _SAID_IN_NOTE and one.section != "agreement"
        why = words.nothing_to_compare if is_in_note and one.reason == "no_pairable_units" else why
        why = words.no_ratings if one.n_ratings == 0 and is_of_answers else why
        # an attribute with too many levels, or with one; a measure of texts that is not known
        is_in_note = (is_in_note and one.n_ratings != 0) or one.scope.get("level") == "" or not is_of_answers
        if is_in_note and one.note and not words.is_german:
            why = one.note.partition(". ")[0].removesuffix(".")
        return f"{name}: {why}" if name and why else why
    is_told = _is_of_value(finding)
    parts = [] if is_told else [" ".join(filter(None, (name, _value(finding, one.estimate, words))))]
    if one.ci_low is not None:
        level = words.ci.replace("95", f"{100 * (one.ci_level or 0.95):.0f}")
        parts.append(f"{level} {words.figure(interval_text(one))}")
    elif one.ci_reason and one.ci_reason != "no_upper_limit":
        parts.append(words.reasons[one.ci_reason])
    if finding.decided.p_value is not None:
        p = words.figure(p_statement(decisive_p(finding.decided)))
        parts.append(p if finding.decided.p_adjusted is None else f"{words.adjusted} {p}")
    return ", ".join(parts)


def _value(finding: Finding, value: float, words: Words) -> str:
    """The effect with its unit, or with the name of the estimate."""
    one, kind = finding.shown, kind_of(finding.shown)
    if test := statistic_text(one):
        return words.figure(test)
    if kind == "share_points":
        return f"{words.figure(signed(value, 'share_points'))} {words.points}"
    if finding.is_share:
        of = words.of_rankings if one.section == "ranking" else words.of_choices
        return f"{words.figure(number(value, 'share'))} {of}"
    if one.statistic in words.named:
        return f"{words.named[one.statistic]} {words.figure(estimate_text(one))}"
    per = f" {words.per_turn}" if declared(one.statistic).per == "turn" else ""
    return f"{words.figure(signed(value, kind))}{per}"


def _basis(findings: Sequence[Finding], protocol: Protocol, words: Words) -> list[str]:
    """What holds for all findings: intervals, ties, the margin, the scale, and the same raters and items."""
    found, first = [], findings[0]
    if any(one.decided.p_adjusted is not None and one.shown.ci_low is not None for one in findings):
        found.append(words.unadjusted)
    if first.is_share and getattr(protocol.question(first.key), "tie", False):
        found.append(words.ties)
    margin = protocol.analysis.margin_of(first.key)
    if declared(first.decided.statistic).margin and margin is not None:
        found.append(f"{words.margin} {words.figure(styled(f'{margin:g}'))}")
    is_of_scale = kind_of(first.shown) in OF_SCALE and first.decided.statistic != "dprime"
    if is_of_scale and first.shown.unit != "choice" and (ends := scale_ends(first.key, protocol)):
        low, high = (words.figure(with_minus(number_text(end))) for end in ends)
        worse = f", {words.worse}" if first.is_reversed else ""
        found.append(f"{words.scale} {low}\N{EN DASH}{high}{worse}")
    elif first.is_reversed:
        found.append(words.worse)
    estimates = [one.shown for one in findings]
    counts = {"items": _same(n_compared(one, "n_items") for one in estimates)}
    if protocol.raters.identity == "known":
        counts = {"raters": _same(n_compared(one, "n_raters") for one in estimates), **counts}
    if first.scope.get("level") == "responder":
        counts["responders"] = _same(one.n_units for one in estimates)
    items = protocol.labels.items
    nouns = {**words.counted, "items": items.german if words.is_german else items[:2]}
    counted = ", ".join(f"{words.figure(whole(n))} {nouns[what][n != 1]}" for what, n in counts.items() if n)
    return [*found, counted] if counted else found


def _same(numbers: Iterable[int | None]) -> int | None:
    found = set(numbers)
    return found.pop() if len(found) == 1 else None
