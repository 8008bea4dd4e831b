"""The sentence that answers a primary question: how each source compares with its reference, in two languages.

The same sentences stand on the page, in the report and in the terminal. They are made from verdicts alone, so that they
never say more than the tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.analysis.findings.main_contrasts import MainContrast, main_contrasts, signed
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from app.analysis.report.sentences import scale_ends
from app.analysis.report.verdicts import decisive_p
from app.analysis.statistic import declared
from app.analysis.wording.formatting import interval_text, kind_of, number, p_statement
from app.base.words import number_text
from app.protocol.study import Protocol

# What a source did, for one verdict and direction: `{who}`, `{did}` (was or were), `{reference}`, `{on}` the question.
_ENGLISH = {
    "higher": "{who} {did} rated higher than {reference} on {on}",
    "lower": "{who} {did} rated lower than {reference} on {on}",
    "preferred": "{who} {did} preferred over {reference}",
    "not_preferred": "{reference} was preferred over {who}",
    "more_often": "{who} {did} given {on} more often than {reference}",
    "less_often": "{who} {did} given {on} less often than {reference}",
    "inconclusive": "{who} did not differ clearly from {reference} on {on}",
    "none_differed": "{who} differed clearly from {reference} on {on}",
    "equivalent": "{who} {did} equivalent to {reference} on {on}",
    "non_inferior": "{who} {did} not inferior to {reference} on {on}",
    "not_equivalent": "{who} {did} not shown to be equivalent to {reference} on {on}",
    "not_non_inferior": "{who} {did} not shown to be non-inferior to {reference} on {on}",
    "unknown": "{who} cannot be compared with {reference} on {on} yet",
}
_GERMAN = {
    "higher": "{who} {did} bei {on} höher bewertet als {reference}",
    "lower": "{who} {did} bei {on} niedriger bewertet als {reference}",
    "preferred": "{who} {did} gegenüber {reference} bevorzugt",
    "not_preferred": "{reference} wurde gegenüber {who} bevorzugt",
    "more_often": "{who} {did} häufiger mit {on} beurteilt als {reference}",
    "less_often": "{who} {did} seltener mit {on} beurteilt als {reference}",
    "inconclusive": "{who} {differs} sich bei {on} nicht klar von {reference}",
    "none_differed": "{who} unterschied sich bei {on} klar von {reference}",
    "equivalent": "{who} {be} {reference} bei {on} gleichwertig",
    "non_inferior": "{who} {be} {reference} bei {on} nicht unterlegen",
    "not_equivalent": "für {who} ist bei {on} keine Gleichwertigkeit mit {reference} gezeigt",
    "not_non_inferior": "für {who} ist bei {on} keine Nichtunterlegenheit gegenüber {reference} gezeigt",
    "unknown": "{who} {can} sich bei {on} noch nicht mit {reference} vergleichen",
}


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language. `neither` and `none_of` begin a list of sources of which none differed."""

    said: dict[str, str]
    and_: str
    neither: tuple[str, str]
    none_of: str
    ci: str
    adjusted: str
    scale: str
    points: str
    of_choices: str
    of_rankings: str
    counted: dict[str, tuple[str, str]]
    verbs: dict[str, tuple[str, str]]
    worse: str
    is_german: bool = False

    def figure(self, text: str) -> str:
        """A formatted number as this language prints it: 1,296 ratings and 0.74 are 1.296 and 0,74 in German."""
        if not self.is_german:
            return text
        swapped = text.translate(str.maketrans(".,", ",."))
        return re.sub(r"(?<!\d),(?=\d)", "0,", swapped).replace("%", "\N{NO-BREAK SPACE}%").replace(" to ", " bis ")


ENGLISH = Words(
    _ENGLISH,
    "and",
    ("neither", "nor"),
    "none of",
    "95% CI",
    "adjusted",
    "scale",
    "percentage points",
    "of choices",
    "of rankings",
    {"items": ("item", "items"), "raters": ("rater", "raters")},
    {"did": ("was", "were")},
    "high values are undesirable",
)
GERMAN = Words(
    _GERMAN,
    "und",
    ("weder", "noch"),
    "keine der Quellen",
    "95-%-KI",
    "adjustiert",
    "Skala",
    "Prozentpunkte",
    "der Wahlen",
    "der Rangfolgen",
    {"items": ("Item", "Items"), "raters": ("beurteilende Person", "beurteilende Personen")},
    {
        "did": ("wurde", "wurden"),
        "be": ("ist", "sind"),
        "differs": ("unterschied", "unterschieden"),
        "can": ("lässt", "lassen"),
    },
    "hohe Werte sind unerwünscht",
    is_german=True,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """One question answered: the contrasts that it tells, and the sentence with numbers."""

    contrasts: tuple[MainContrast, ...]
    english: str
    german: str


def answers_of(contrasts: Sequence[MainContrast], protocol: Protocol) -> list[Answer]:
    """One answer per question and reference, for the primary contrasts; for all where the study declares none.

    `contrasts` are in the order of `main_contrasts`, and keep it.
    """
    primary = [one for one in contrasts if one.primary]
    told = primary if primary or protocol.analysis.primary else contrasts
    return [_answer(tuple(run), protocol) for _, run in groupby(told, key=lambda one: (one.label, one.reference))]


def answers_document(report: Report, protocol: Protocol) -> list[dict[str, str]]:
    """The answers as plain JSON types, for `report.json` and `results.json`. The report is not `labelled`."""
    answers = answers_of(main_contrasts(labelled(report, protocol.labels), protocol), protocol)
    return [{"question": one.contrasts[0].key, "en": one.english, "de": one.german} for one in answers]


def _answer(contrasts: tuple[MainContrast, ...], protocol: Protocol) -> Answer:
    found = _by_outcome(contrasts)
    english, german = (_with_numbers(found, _basis(contrasts, protocol, words), words) for words in (ENGLISH, GERMAN))
    return Answer(contrasts, english, german)


def _by_outcome(contrasts: Iterable[MainContrast]) -> dict[str, list[MainContrast]]:
    found: dict[str, list[MainContrast]] = {}
    for one in contrasts:
        found.setdefault(_outcome(one), []).append(one)
    return found


def in_short(answers: Sequence[Answer]) -> list[str]:
    """The sentences without numbers; questions with the same answer share one."""
    alike: dict[tuple[object, ...], list[Answer]] = {}
    for one in answers:
        first = one.contrasts[0]
        said = tuple((outcome, *(each.source for each in of)) for outcome, of in _by_outcome(one.contrasts).items())
        alike.setdefault((first.is_share, first.reference, *said), []).append(one)
    return [_shared([one.contrasts for one in same]) for same in alike.values()]


def _shared(contrasts: Sequence[tuple[MainContrast, ...]]) -> str:
    on = _and(list(dict.fromkeys(of[0].label for of in contrasts)), ENGLISH)
    return _joined([_clause(outcome, of, ENGLISH, on) for outcome, of in _by_outcome(contrasts[0]).items()])


def _with_numbers(found: Mapping[str, Sequence[MainContrast]], basis: Sequence[str], words: Words) -> str:
    """One clause per outcome, each with the numbers of its sources; the scale and the counts once at the end."""
    shown = [(_clause(outcome, of, words), _numbers_of(of, words)) for outcome, of in found.items()]
    shown[-1][1].extend(basis)
    return _joined([f"{clause} ({'; '.join(numbers)})" if numbers else clause for clause, numbers in shown])


def _joined(clauses: Sequence[str]) -> str:
    said = "; ".join(clauses)
    return f"{said[:1].upper()}{said[1:]}."


def _outcome(contrast: MainContrast) -> str:
    """The key of what is said of one source."""
    value, verdict = contrast.estimate.estimate, contrast.answer.verdict
    if value is None or verdict is None:
        return "unknown"
    if margin := declared(contrast.answer.statistic).margin:
        return str(verdict) if verdict == margin.verdict else f"not_{margin.verdict}"
    return _direction(contrast, value) if verdict == "clear" else "inconclusive"


def _direction(contrast: MainContrast, value: float) -> str:
    is_above = value > contrast.null
    if contrast.is_share:
        return "preferred" if is_above else "not_preferred"
    if contrast.estimate.statistic == "category_difference":
        return "more_often" if is_above else "less_often"
    return "higher" if is_above else "lower"


def _clause(outcome: str, contrasts: Sequence[MainContrast], words: Words, on: str = "") -> str:
    """What is said of these sources; `on` are the labels of several questions with the same answer."""
    names = [one.source for one in contrasts]
    is_one = len(names) == 1
    who, key = _and(names, words), outcome
    if outcome == "inconclusive" and not is_one:
        key = "none_differed"
        neither, nor = words.neither
        who = f"{neither} {names[0]} {nor} {names[1]}" if len(names) == len(words.neither) else f"{words.none_of} {who}"
    return words.said[key].format(
        who=who,
        reference=contrasts[0].reference,
        on=on or contrasts[0].label,
        **{verb: forms[not is_one] for verb, forms in words.verbs.items()},
    )


def _numbers_of(contrasts: Sequence[MainContrast], words: Words) -> list[str]:
    is_named = len(contrasts) > 1
    return [_numbers(one, words, is_named=is_named) for one in contrasts if one.estimate.estimate is not None]


def _numbers(contrast: MainContrast, words: Words, *, is_named: bool) -> str:
    """The effect with its interval, and the p-value that decided."""
    one = contrast.estimate
    value = one.estimate or 0.0
    shown = words.figure(number(value, "share") if contrast.is_share else signed(value, kind_of(one)))
    if one.statistic == "category_difference":
        shown = f"{shown} {words.points}"
    elif contrast.is_share:
        shown = f"{shown} {words.of_rankings if one.section == 'ranking' else words.of_choices}"
    parts = [f"{contrast.source} {shown}" if is_named else shown]
    if one.ci_low is not None:
        level = words.ci.replace("95", f"{100 * (one.ci_level or 0.95):.0f}")
        parts.append(f"{level} {words.figure(interval_text(one))}")
    if contrast.answer.p_value is not None:
        p = words.figure(p_statement(decisive_p(contrast.answer)))
        parts.append(p if contrast.answer.p_adjusted is None else f"{words.adjusted} {p}")
    return ", ".join(parts)


def _basis(contrasts: Sequence[MainContrast], protocol: Protocol, words: Words) -> list[str]:
    """The ends of the scale, and the numbers of raters and items where they are the same for all contrasts."""
    found = []
    if not contrasts[0].is_share and (ends := scale_ends(contrasts[0].key, protocol)):
        low, high = (words.figure(number_text(end)) for end in ends)
        worse = f", {words.worse}" if contrasts[0].is_reversed else ""
        found.append(f"{words.scale} {low}\N{EN DASH}{high}{worse}")
    estimates = [one.estimate for one in contrasts]
    counts = {"items": _same(one.n_items for one in estimates)}
    if protocol.raters.identity == "known":
        counts = {"raters": _same(one.n_raters for one in estimates), **counts}
    counted = ", ".join(f"{words.figure(f'{n:,}')} {words.counted[what][n != 1]}" for what, n in counts.items() if n)
    return [*found, counted] if counted else found


def _same(numbers: Iterable[int | None]) -> int | None:
    found = set(numbers)
    return found.pop() if len(found) == 1 else None


def _and(names: Sequence[str], words: Words) -> str:
    *first, last = names
    return f"{', '.join(first)} {words.and_} {last}" if first else last
