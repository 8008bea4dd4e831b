"""The main comparisons of a report, by question and pair of sources, with results that could overturn them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.analysis.estimate import Estimate, Scope
from app.analysis.report.primary import turned
from app.analysis.report.report import Report
from app.analysis.report.verdicts import effect_behind
from app.analysis.statistic import Kind, declared
from app.analysis.wording.formatting import REASONS, interval_text, number, why_text
from app.base.numbers import MINUS, whole
from app.base.words import counted, isolated, left_to_right
from app.protocol.labels import ITEMS, ItemNouns
from app.protocol.questions.registry import AnyQuestion
from app.protocol.study import Protocol

# question, statistic and scope
Pair = tuple[str | None, str, str]


PAIR = {"source", "reference"}
LENGTH = "length"
# what a card or a row shows; other primary estimates are told in sentences
SHOWN = ("mean_difference", "share_preferred", "category_difference")


@dataclass(frozen=True, slots=True)
class MainContrast:
    """One pair of sources on one question. `label` and `text` are those of the question; the report is `labelled`.

    `at_equal_length` and `without_flagged` are the same estimate under another condition, None if not available;
    `primary` is the estimate that answers a primary contrast of the study, None for any other pair.
    """

    key: str
    label: str
    text: str
    estimate: Estimate
    at_equal_length: Estimate | None
    without_flagged: Estimate | None
    is_reversed: bool = False
    primary: Estimate | None = None

    @property
    def source(self) -> str:
        """The label of the source."""
        return str(self.estimate.scope["source"])

    @property
    def reference(self) -> str:
        """The label of the reference."""
        return str(self.estimate.scope["reference"])

    @property
    def is_share(self) -> bool:
        """Whether the estimate is a share of choices, for which no difference is one half."""
        return self.estimate.statistic == "share_preferred"

    @property
    def null(self) -> float:
        """The value that means no difference."""
        return declared(self.estimate.statistic).no_difference or 0.0

    @property
    def effect(self) -> str:
        """The effect in short, such as `ChatGPT +1.51 points`."""
        return left_to_right(self._effect)

    @property
    def _effect(self) -> str:
        value, source = self.estimate.estimate, isolated(self.source)
        if value is None and not self.estimate.n_ratings:
            return f"{source} against {isolated(self.reference)}: no answers to {isolated(self.label)}"
        if value is None:
            why = why_text(self.estimate).rstrip(".")
            return f"{source} against {isolated(self.reference)}: {why[:1].lower()}{why[1:]}"
        if self.is_share:
            verb = "ranked above" if self.estimate.section == "ranking" else "preferred"
            return f"{source} {verb} in {number(value, 'share')}"
        if self.estimate.statistic == "category_difference":
            return f"{source} {signed(value, 'share_points')} percentage points"
        return f"{source} {signed(value, 'points')} points"

    @property
    def answer(self) -> Estimate:
        """The estimate whose verdict holds: that of the primary contrast, otherwise the one that is shown."""
        return self.primary or self.estimate

    @property
    def is_clear(self) -> bool:
        """Whether the verdict is that of a clear difference."""
        return self.answer.verdict == "clear"

    @property
    def is_overturned(self) -> bool:
        """Whether the difference is clear as observed, and inconclusive at equal length."""
        other = self.at_equal_length
        return self.is_clear and other is not None and other.verdict == "inconclusive"


def main_contrasts(report: Report, protocol: Protocol) -> list[MainContrast]:
    """Return the primary contrasts between sources, then the others by question, for human raters.

    The report is `labelled`.
    """
    asked = {question.key: question for question in protocol.questions if question.target != "rater"}
    keys = (*asked, *protocol.analysis.composites)
    primary = primary_pairs(report)
    found = [one for key in keys for one in _of_question(report, protocol, key, asked.get(key), primary)]
    order = list(primary)
    return sorted(found, key=lambda one: order.index(_pair(one.estimate)) if one.primary else len(order))


def primary_pairs(report: Report) -> dict[Pair, tuple[Estimate, Estimate]]:
    """The primary estimates that compare two sources: by what they are of, the effect to show and what answers."""
    found: dict[Pair, tuple[Estimate, Estimate]] = {}
    for one in report.primary_estimates:
        effect = effect_behind(one, report.estimates)
        if effect.statistic in SHOWN and effect.scope.keys() <= PAIR | {"category"} and effect.scope.keys() >= PAIR:
            found.setdefault(_pair(effect), (effect, one))
    return found


def _pair(estimate: Estimate) -> Pair:
    return estimate.measured, estimate.statistic, str(sorted(estimate.scope.items()))


def _of_question(
    report: Report,
    protocol: Protocol,
    key: str,
    question: AnyQuestion | None,
    primary: Mapping[Pair, tuple[Estimate, Estimate]],
) -> Iterator[MainContrast]:
    reference = protocol.labels.source(protocol.reference or "")
    for first in _estimates(report, key, question, reference, primary):
        estimate, answer = primary.get(_pair(first), (first, None))
        same = [f for f in report.estimates if f.measured == estimate.measured]
        yield MainContrast(
            key,
            protocol.labels.question(estimate.question or "", estimate.category),
            question.text if question else protocol.analysis.composites[key].text,
            _with_counts(estimate, first),
            _at_equal_length(estimate, same),
            _without_flagged(estimate, same),
            is_reversed=bool(getattr(question, "reversed", False)),
            primary=answer,
        )


def _with_counts(estimate: Estimate, first: Estimate) -> Estimate:
    """With the counts of choices, which only the first record of a share holds."""
    return estimate if estimate.detail or not first.detail else replace(estimate, detail=first.detail)


def _estimates(
    report: Report, key: str, question: AnyQuestion | None, reference: str, primary: Collection[Pair]
) -> list[Estimate]:
    section, statistic = _where(question)
    keys = PAIR | ({"category"} if statistic == "category_difference" else set())
    firsts: dict[tuple[str | None, str], Estimate] = {}
    for f in report.estimates:
        is_mine = f.question == key
        if is_mine and (f.section, f.statistic) == (section, statistic) and f.scope.keys() == keys:
            firsts.setdefault((f.measured, str(f.scope)), f)
    shown = [f for f in firsts.values() if _pair(f) in primary or _is_against(f, reference, primary)]
    met = [f for f in shown if f.n_ratings]  # a design need not show every two together
    return met or shown


def _is_against(estimate: Estimate, reference: str, primary: Collection[Pair]) -> bool:
    """Whether the estimate is against the reference, and not a primary contrast in the other direction."""
    return estimate.scope["reference"] == reference and _pair(in_other_direction(estimate)) not in primary


def in_other_direction(estimate: Estimate) -> Estimate:
    """The same estimate of the reference minus the source: mirrored at no difference."""
    twice = 2 * (declared(estimate.statistic).no_difference or 0.0)
    value, low, high = (
        None if x is None else twice - x for x in (estimate.estimate, estimate.ci_high, estimate.ci_low)
    )
    return replace(estimate, scope=turned(estimate.scope), estimate=value, ci_low=low, ci_high=high)


def _where(question: AnyQuestion | None) -> tuple[str, str]:
    found = {
        "preference": ("choice", "share_preferred"),
        "order": ("ranking", "share_preferred"),
        "codes": ("contrast", "category_difference"),
    }
    return found.get(question.measure if question else "", ("comparison", "mean_difference"))


def _at_equal_length(estimate: Estimate, same: Sequence[Estimate]) -> Estimate | None:
    statistic = declared(estimate.statistic).at_equal_length
    found = [f for f in same if f.statistic == statistic]
    return _of_scope({**estimate.scope, "covariate": LENGTH}, found)


def _without_flagged(estimate: Estimate, same: Sequence[Estimate]) -> Estimate | None:
    found = [f for f in same if f.statistic == estimate.statistic and "flagged" in f.scope]
    return _of_scope({**estimate.scope, "flagged": found[0].scope["flagged"]}, found) if found else None


def _of_scope(wanted: Scope, found: Sequence[Estimate]) -> Estimate | None:
    """The estimate of this scope; it may have been made in the other direction."""
    other = turned(wanted)
    for one in found:
        if one.scope in (wanted, other):
            return one if one.scope == wanted else in_other_direction(one)
    return None


def effect_cell(estimate: Estimate | None) -> str:
    """Format estimate and interval for a cell, such as `0.88 (0.75 to 1.01)`; a dash if there is none."""
    if estimate is None or estimate.estimate is None:
        return "–"
    kind = declared(estimate.statistic).kind
    interval = f" ({interval_text(estimate)})" if estimate.ci_low is not None else ""
    return f"{number(estimate.estimate, kind)}{interval}"


def interval_words(estimate: Estimate) -> str:
    """Format the interval, such as `95% CI 0.75 to 1.01`, or give the reason why there is none."""
    if estimate.ci_low is None or estimate.ci_high is None:
        return f"No interval: {REASONS[estimate.ci_reason]}" if estimate.ci_reason else ""
    level = f"{100 * (estimate.ci_level or 0.95):.0f}% CI"
    return f"{level} {interval_text(estimate)}"


def counts_words(estimate: Estimate, items: ItemNouns = ITEMS, *, are_raters_known: bool = True) -> str:
    """Format the number of ratings, choices or rankings, items and raters; slots are not counted as raters."""
    answers = _answers([estimate])
    parts = [(n_answers(estimate), answers), (n_compared(estimate, "n_items"), items.several)]
    parts += [(n_compared(estimate, "n_raters"), "raters")] if are_raters_known else []
    return ", ".join(f"{whole(n)} {word if n != 1 else word[:-1]}" for n, word in parts if n is not None)


def n_answers(estimate: Estimate) -> int | None:
    """The number of answers that the estimate is from; a choice of neither compares no two responses."""
    return estimate.n_units if _is_of_compared(estimate) and estimate.n_units is not None else estimate.n_ratings


def n_compared(estimate: Estimate, name: Literal["n_items", "n_raters"]) -> int | None:
    """The number of items or raters whose answers `n_answers` counts."""
    compared: dict[str, int] = estimate.detail.get("compared", {}) if _is_of_compared(estimate) else {}
    in_scope = estimate.n_items if name == "n_items" else estimate.n_raters
    return compared.get(name, in_scope)


def _is_of_compared(estimate: Estimate) -> bool:
    return estimate.section == "choice" and declared(estimate.statistic).is_of_choices


def _answers(estimates: Sequence[Estimate]) -> str:
    """What the answers are called that these estimates count."""
    # Agreement on rankings counts each rank.
    if estimates and all(one.section == "ranking" and one.unit != "item" for one in estimates):
        return "rankings"
    return "choices" if {one.unit for one in estimates} == {"choice"} else "ratings"


def counts_of(estimates: Iterable[Estimate], items: ItemNouns = ITEMS, *, are_raters_known: bool = True) -> str:
    """Format how many answers, items and raters each of these estimates is based on, such as `72 to 144 ratings`.

    Estimates of single raters do not count.
    """
    shown = [one for one in estimates if one.estimate is not None and "raters" not in one.scope]
    answers = _answers(shown)
    numbers = {answers: [n_answers(one) for one in shown]}
    numbers |= {items.several: [n_compared(one, "n_items") for one in shown]}
    numbers |= {"raters": [n_compared(one, "n_raters") for one in shown]} if are_raters_known else {}
    known = {word: [n for n in each if n] for word, each in numbers.items()}
    return ", ".join(_from_to(min(each), max(each), word) for word, each in known.items() if each)


def caption_of(
    words: str, estimates: Iterable[Estimate], items: ItemNouns = ITEMS, *, are_raters_known: bool = True
) -> str:
    """The caption of a table or of a chart, which says from how many answers its estimates are."""
    counted_of_each = counts_of(estimates, items, are_raters_known=are_raters_known)
    said = words if words.endswith((".", "?", "!")) else f"{words}."
    return f"{said} Each estimate is from {counted_of_each}." if counted_of_each else said


def _from_to(least: int, most: int, word: str) -> str:
    return counted(most, word[:-1]) if least == most else f"{whole(least)} to {whole(most)} {word}"


def signed(value: float, kind: Kind) -> str:
    """Format a difference with its sign, and with the digits that tables print."""
    words = number(value, kind)
    return words if words[0] == MINUS or not words.strip("0.%") else f"+{words}"
