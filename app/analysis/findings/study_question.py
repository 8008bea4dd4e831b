"""The question that a study answers, as a sentence: it follows from the primary contrasts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.protocol.parts.primary_tests import TESTS
from app.design.questions.kinds.choice import ChoiceQuestion
from app.design.questions.kinds.ranking import RankingQuestion
from app.design.word_lists import and_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.analysis.findings.main_contrasts import MainContrast
    from app.analysis.report.primary import PrimaryResult
    from app.design.protocol.parts.primary import PrimaryContrast
    from app.design.protocol.parts.primary_tests import Compared
    from app.design.protocol.study import Protocol

# A question names at most this many sources, dimensions or factors.
MAX_NAMES = 3
AGREEMENT = "How far do raters agree on {questions}?"
ACCURACY = "How accurate are the answers on {questions}?"
# `be` and `do` agree with the number of questions.
_SENTENCES: dict[Compared, str] = {
    "turns": "How {do} {questions} develop turn by turn?",
    "factor": "How {do} {questions} differ by {causes}?",
    "attribute": "How {do} {questions} differ by {causes}?",
    "conjoint": "How {do} {questions} differ by {causes}?",
    "covariate": "How {be} {questions} related to {causes}?",
    "accuracy": ACCURACY,
    "empathic_accuracy": "How accurate are the ratings of {questions}?",
    "belief": "What do raters believe about who wrote a response?",
    "agreement": AGREEMENT,
}


def study_question(protocol: Protocol, contrasts: Sequence[MainContrast], primary: Sequence[PrimaryResult]) -> str:
    """The question of the primary contrasts that compare the same kind of thing as the first one.

    If none is declared: how the sources of `contrasts` compare; without these, what the default contrast asks.
    """
    is_declared = any(one.is_declared for one in primary)
    shown = [one for one in contrasts if one.primary or not is_declared]
    kinds = [TESTS[str(one.contrast.test)].compares for one in primary]
    if shown and (not is_declared or kinds[0] == "sources"):
        return _of_contrasts(shown)
    if not primary:
        asked = _some(protocol.labels.question(question.key) for question in protocol.questions)
        return AGREEMENT.format(questions=asked)
    alike = [one.contrast for one, kind in zip(primary, kinds, strict=True) if kind == kinds[0]]
    return _of_kind(kinds[0], alike, protocol)


def _of_contrasts(contrasts: Sequence[MainContrast]) -> str:
    chosen = list(dict.fromkeys(one.label for one in contrasts if one.is_share))
    rated = list(dict.fromkeys(one.label for one in contrasts if not one.is_share))
    return _compared((one.source for one in contrasts), contrasts[0].reference, rated, chosen)


def _of_kind(kind: Compared, primary: Sequence[PrimaryContrast], protocol: Protocol) -> str:
    labels, test = protocol.labels, primary[0].test
    keys = list(dict.fromkeys(one.question for one in primary))
    questions, causes = _some(map(labels.question, keys)), _causes(primary, protocol)
    verbs = {"be": "is", "do": "does"} if len(keys) == 1 else {"be": "are", "do": "do"}
    if kind in {"sources", "turns"} and test != "turn_slope":
        reference = primary[0].reference or protocol.reference or ""
        named = [one.source for one in primary if one.source] or [one for one in protocol.sources if one != reference]
        over = "turn by turn " if kind == "turns" else ""
        if not named:  # a filter leaves one source
            return AGREEMENT.format(questions=questions)
        chosen = [key for key in keys if isinstance(protocol.question(key), ChoiceQuestion | RankingQuestion)]
        rated = [key for key in keys if key not in chosen]
        of_chosen, of_rated = (list(map(labels.question, some)) for some in (chosen, rated))
        return _compared(map(labels.source, named), labels.source(reference), of_rated, of_chosen, over)
    if kind == "pools":
        named = [pool for one in primary for pool in (one.pool, one.reference_pool) if pool] or [*protocol.design.pools]
        return f"How do the ratings of {_some(map(labels.pool, named))} compare on {questions}?"
    of_spans = ACCURACY if test == "span_f1" else AGREEMENT
    of_change = "How does the change in {questions} differ by {causes}?" if causes else "How {do} {questions} change?"
    sentence = {"spans": of_spans, "change": of_change}.get(kind) or _SENTENCES[kind]
    return sentence.format(questions=questions, causes=causes, **verbs)


def _compared(
    sources: Iterable[str], reference: str, rated: Sequence[str], chosen: Sequence[str], over: str = ""
) -> str:
    """Whether sources are preferred over the reference, and how they compare with it in ratings."""
    named = list(dict.fromkeys(sources))
    is_one = len(named) == 1
    do, be, they = ("does", "Is", "it") if is_one else ("do", "Are", "they")
    if not chosen:
        return f"How {do} {_some(named)} compare with {reference} {over}on {_some(rated)}?"
    aspects = f" on {_some(chosen)}" if len(chosen) > 1 else ""
    ratings = f", and how {do} {they} compare {over}on {_some(rated)}" if rated else ""
    return f"{be} {_some(named)} preferred over {reference}{aspects}{ratings}?"


def _causes(primary: Sequence[PrimaryContrast], protocol: Protocol) -> str:
    """What may make the difference: conditions, attributes and covariates; empty if there are none."""
    names = [name for one in primary if (name := one.attribute or one.factor or one.covariate)]
    return _some(protocol.labels.factors.get(name) or protocol.labels.column(name) for name in names)


def _some(names: Iterable[str]) -> str:
    return and_list(list(dict.fromkeys(names)), most=MAX_NAMES)
