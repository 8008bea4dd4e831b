"""The results of a study on one screen: effects, what could overturn them, agreement, model judges, failures."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.analysis.estimate import Estimate
from app.analysis.findings.agreement_summary import (
    AgreementRow,
    agreement_rows,
    agreement_sentence,
    columns_of,
    needed_sentence,
)
from app.analysis.findings.answers import Answer, answers_of
from app.analysis.findings.judge_conclusions import Conclusion, conclusions_by_judge
from app.analysis.findings.judge_summary import JudgeSummary, judge_summaries
from app.analysis.findings.main_contrasts import MainContrast, effect_cell, main_contrasts
from app.analysis.findings.objections import Objection, objections_of
from app.analysis.findings.robustness import OtherWay, other_ways
from app.analysis.report.primary import PrimaryResult
from app.analysis.report.report import Report
from app.analysis.report.sentences import change_text
from app.analysis.report.verdicts import verdict_sentence
from app.analysis.statistic import declared
from app.analysis.wording.formatting import CURRENT_WORDING, REASONS, SENSITIVITY, measure_text, number
from app.base.numbers import styled, whole
from app.base.words import and_list, isolated
from app.protocol.primary import KINDS, TESTS, Compared, PrimaryContrast
from app.protocol.primary_default import first_question
from app.protocol.study import Protocol

# Results that could overturn the main findings, as sentences: above all length, then flagged raters.

# Smaller ratios of lengths are not mentioned.
NOTABLE_RATIO = 1.25
# more than these are counted, and only the first are named
MAX_TOLD = 2


def warnings_of(report: Report, contrasts: Sequence[MainContrast]) -> Iterator[str]:
    """Yield how lengths differ, then one sentence per primary contrast that length overturns, or that none is.

    The lengths of sources say nothing about a primary contrast of conditions, pools or times.
    """
    if not report.primary or any(contrast.primary for contrast in contrasts):
        yield from length_words(report, contrasts)
    told = [contrast for contrast in contrasts if contrast.primary] if report.primary else contrasts
    clear = [contrast for contrast in told if contrast.is_clear and contrast.at_equal_length]
    overturned = [contrast for contrast in clear if contrast.is_overturned]
    n_clear, n_untold = len(clear), sum(not _has_interval(contrast) for contrast in clear)
    if len(overturned) > MAX_TOLD:
        yield (
            f"Adjusted for length, {len(overturned)} of {n_clear} clear differences become inconclusive, "
            f"among them {and_list([_name(one, contrasts) for one in overturned[:MAX_TOLD]])}."
        )
    for contrast in overturned if len(overturned) <= MAX_TOLD else ():
        other = contrast.at_equal_length
        assert other is not None  # noqa: S101 - implied by is_overturned
        yield (
            f"{_name(contrast, contrasts)}, adjusted for length: {_number(other)} (unadjusted "
            f"{_number(contrast.estimate)}). {verdict_sentence(other)}"
        )
    if n_untold:
        which = f"{n_untold} of {n_clear} clear differences" if n_clear > 1 else "the clear difference"
        yield f"Adjusted for length, no interval can be computed for {which}."
    elif clear and not overturned:
        yield "Adjusted for length, every clear difference stays clear."


def wording_words(ways: Sequence[OtherWay]) -> Iterator[str]:
    """Yield what the answers to the current wording alone give, for the first primary contrasts."""
    of_wording = [one for one in ways if one.name == SENSITIVITY[CURRENT_WORDING]]
    contrasts = [one.contrast for one in of_wording]
    for way in of_wording[:MAX_TOLD]:
        changed = " This changes whether the 95% CI includes no difference." if way.is_changed else ""
        yield (
            f"{_name(way.contrast, contrasts)}, {way.name}: {effect_cell(way.estimate)} (all answers: "
            f"{effect_cell(way.contrast.estimate)}).{changed}"
        )


def _has_interval(contrast: MainContrast) -> bool:
    return contrast.at_equal_length is not None and contrast.at_equal_length.ci_low is not None


def _name(contrast: MainContrast, among: Sequence[MainContrast]) -> str:
    """The label of the question, with the source if the contrasts are of several."""
    return f"{contrast.label} ({contrast.source})" if len({one.source for one in among}) > 1 else contrast.label


def length_words(report: Report, contrasts: Sequence[MainContrast]) -> Iterator[str]:
    """Yield how lengths differ between the sources of the primary contrasts, if they do notably; else between all."""
    compared = {name for one in contrasts if one.primary for name in (one.source, one.reference)}
    means = {
        f.scope["source"]: f.estimate
        for f in report.of("text")
        if f.statistic == "text_mean" and f.scope.get("covariate") == "words" and f.estimate and "source" in f.scope
    }
    means = {name: mean for name, mean in means.items() if name in compared} or means
    if len(means) < len(("one", "other")):
        return
    short, long = min(means, key=lambda name: means[name]), max(means, key=lambda name: means[name])
    ratio = means[long] / means[short]
    if ratio >= NOTABLE_RATIO:
        yield (
            f"Responses of {long} are {styled(f'{ratio:.1f}')} times as long as those of {short} "
            f"(mean {means[long]:.0f} and {means[short]:.0f} words)."
        )


def _number(estimate: Estimate) -> str:
    return number(estimate.estimate or 0.0, declared(estimate.statistic).kind)


# The question that a study answers, as a sentence: it follows from the primary contrasts.

# A question names at most this many sources, dimensions or factors.
MAX_NAMES = 3
AGREEMENT = "How far do raters agree on {questions}?"
ACCURACY = "How accurate are the answers on {questions}?"
# `be` and `do` agree with the number of questions.
_SENTENCES: dict[Compared, str] = {
    "turns": "How {do} {questions} develop turn by turn?",
    "factor": "How {do} {questions} differ by {causes}?",
    "attribute": "How {do} {questions} differ by {causes}?",
    "item_attribute": "How {do} {questions} differ by {causes} of the items?",
    "conjoint": "How {do} {questions} differ by {causes}?",
    "covariate": "How {be} {questions} related to {causes}?",
    "accuracy": ACCURACY,
    "empathic_accuracy": "How accurate are the ratings of {questions}?",
    "belief": "What do raters believe about who wrote a response?",
    "agreement": AGREEMENT,
    "texts": "How do the texts of the sources differ in {questions}?",
    "structure": "Which factors do the questions of {questions} have?",
}


def study_question(protocol: Protocol, contrasts: Sequence[MainContrast], primary: Sequence[PrimaryResult]) -> str:
    """A question for all primary contrasts that compare the same kind of thing, in the order of the protocol.

    If none is declared: how the sources of `contrasts` compare; without these, what the default contrast asks.
    """
    is_declared = any(one.is_declared for one in primary)
    if contrasts and not is_declared:
        return _of_contrasts([one for one in contrasts if one.primary] or contrasts)
    if not primary:
        asked = _some(protocol.labels.question(question.key) for question in protocol.questions)
        return AGREEMENT.format(questions=asked)
    alike: dict[tuple[Compared, str], list[PrimaryContrast]] = {}
    for one in primary:
        alike.setdefault(_asked(one.contrast, protocol), []).append(one.contrast)
    return " ".join(dict.fromkeys(_of_kind(kind, some, protocol) for (kind, _), some in alike.items()))


def _asked(contrast: PrimaryContrast, protocol: Protocol) -> tuple[Compared, str]:
    """What a contrast compares, and what tells it from others of this kind that need a question of their own."""
    kind, test = TESTS[str(contrast.test)].compares, str(contrast.test)
    if kind in {"sources", "turns"} and test != "turn_slope":
        return kind, contrast.reference or protocol.reference or ""
    if kind == "pools":
        return (
            kind,
            f"{contrast.pool or contrast.rater_kind} {contrast.reference_pool or contrast.reference_rater_kind}",
        )
    return kind, test if kind in {"turns", "spans"} else str(contrast.factor) if kind == "change" else ""


def _of_contrasts(contrasts: Sequence[MainContrast]) -> str:
    chosen = list(dict.fromkeys(one.label for one in contrasts if one.is_share))
    rated = list(dict.fromkeys(one.label for one in contrasts if not one.is_share))
    return _compared((one.source for one in contrasts), contrasts[0].reference, rated, chosen)


def _of_kind(kind: Compared, primary: Sequence[PrimaryContrast], protocol: Protocol) -> str:
    labels, test = protocol.labels, primary[0].test
    keys = list(dict.fromkeys(one.question for one in primary))
    is_change, causes = kind == "change", _causes(primary, protocol)
    questions = _some(change_text(key, protocol) if is_change else labels.question(key) for key in keys)
    if kind == "texts":
        questions = _some(measure_text(key, labels) for key in keys)
    verbs = {"be": "is", "do": "does"} if len(keys) == 1 else {"be": "are", "do": "do"}
    if kind in {"sources", "turns"} and test != "turn_slope":
        reference = primary[0].reference or protocol.reference or ""
        named = [one.source for one in primary if one.source]
        if len(named) < len(primary):
            named = [one for one in protocol.sources if one != reference]
        over = "turn by turn " if kind == "turns" else ""
        if not named:  # a filter leaves one source
            return AGREEMENT.format(questions=questions)
        chosen = [key for key in keys if (asked := protocol.question(key)) and asked.measure in {"preference", "order"}]
        rated = [key for key in keys if key not in chosen]
        of_chosen, of_rated = (list(map(labels.question, some)) for some in (chosen, rated))
        return _compared(map(labels.source, named), labels.source(reference), of_rated, of_chosen, over)
    if kind == "pools":
        return f"How do the {_answers_of(primary, protocol)} compare on {questions}?"
    of_spans = ACCURACY if test == "span_f1" else AGREEMENT
    of_change = "How does the change in {questions} differ by {causes}?" if causes else "How {do} {questions} change?"
    sentence = {"spans": of_spans, "change": of_change}.get(kind) or _SENTENCES[kind]
    return sentence.format(questions=questions, causes=causes, **verbs)


def _answers_of(primary: Sequence[PrimaryContrast], protocol: Protocol) -> str:
    """The ratings, or answers, of the groups of raters that are compared."""
    labels, groups = protocol.labels, []
    for one in primary:
        groups += [labels.pool(pool) for pool in (one.pool, one.reference_pool) if pool]
        groups += [KINDS[kind] for kind in (one.rater_kind, one.reference_rater_kind) if kind]
    asked = [first_question(protocol, one.question) for one in primary]
    are_ratings = {one.test for one in primary} <= {"pool_difference", "pool_correlation"}
    are_ratings = are_ratings and all(one is not None and one.target != "rater" for one in asked)
    of = _some(groups or map(labels.pool, protocol.design.pools))
    return f"{'ratings' if are_ratings else 'answers'} of {of}"


def _compared(
    sources: Iterable[str], reference: str, rated: Sequence[str], chosen: Sequence[str], over: str = ""
) -> str:
    """Whether sources are preferred over the reference, and how they compare with it in ratings."""
    named, reference = list(dict.fromkeys(sources)), isolated(reference)
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
    return and_list(list(dict.fromkeys(map(isolated, names))), most=MAX_NAMES)


# Reasons of computations that failed, as opposed to having nothing to compute.
FAILED = ("not_converged", "singular", "separation")


@dataclass(frozen=True, slots=True)
class Summary:
    """The content of the first screen. `question` is the study's research question as a sentence."""

    question: str
    answers: tuple[Answer, ...]
    contrasts: tuple[MainContrast, ...]
    warnings: tuple[str, ...]
    agreement: tuple[AgreementRow, ...]
    agreement_words: str
    needed: str
    judges: tuple[JudgeSummary, ...]
    conclusions: tuple[Conclusion, ...]
    failed: str
    objections: tuple[Objection, ...] = ()
    ways: tuple[OtherWay, ...] = ()


def summary_of(report: Report, protocol: Protocol) -> Summary:
    """Return the summary of a report that is `labelled`."""
    contrasts, rows = main_contrasts(report, protocol), agreement_rows(report, protocol)
    ways = other_ways(contrasts, report)
    needed = next((words for row in rows if (words := needed_sentence(report, row))), "")
    return Summary(
        question=study_question(protocol, contrasts, report.primary),
        answers=tuple(answers_of(contrasts, report, protocol)),
        contrasts=tuple(contrasts),
        warnings=(*warnings_of(report, contrasts), *wording_words(ways)),
        agreement=tuple(rows),
        agreement_words=agreement_sentence(rows, has_columns=bool(columns_of(rows))),
        needed=needed,
        judges=tuple(judge_summaries(report)),
        conclusions=tuple(conclusions_by_judge(report, contrasts)),
        failed=failed_words(report),
        objections=objections_of(report, protocol, contrasts, rows),
        ways=tuple(ways),
    )


def failed_words(report: Report) -> str:
    """State how many computations failed, and why; empty if none did."""
    reasons = Counter(f.reason for f in report.estimates if f.reason in FAILED)
    if not reasons:
        return ""
    n = sum(reasons.values())
    said = f"{whole(n)} {'estimate' if n == 1 else 'estimates'} could not be computed"
    found = [(REASONS[reason], n) for reason, n in reasons.most_common() if reason]
    if len(found) == 1:
        return f"{said} because {found[0][0]}."
    return f"{said}: {'; '.join(f'{whole(n)} because {why}' for why, n in found)}."
