"""Notes to read before the estimates: what was excluded, which raters are not human, how many tests were run."""

from collections.abc import Iterator, Sequence

import numpy as np

from app.analysis.data.encoded_study import Codes
from app.analysis.data.frames import WRITTEN_WITH, Frames
from app.analysis.data.series import Again, asked_again
from app.analysis.data.simulated import ARE_SIMULATED
from app.analysis.estimate import Estimate
from app.analysis.report.explored import explored
from app.base.numbers import whole
from app.base.words import counted
from app.protocol.primary_default import primary_contrasts
from app.protocol.study import Protocol

UNKNOWN_RATERS = (
    "It is not known which person gave which rating: raters are counted as slots, intervals generalize to new items "
    "only, and nothing is reported about single raters."
)
ALL_RATED = (
    "People rated every item that model judges rated, so there is nothing that judges could add to people's answers: "
    "no estimates of judge and people together."
)
NAME_ONE = "To choose another, name it under Design, Analysis before raters begin."
NOTHING_PRIMARY = (
    "The study has no primary contrast: none of its questions compares sources, conditions, pools or times, or has "
    "answers on which raters can agree. Add a question about responses, or say under Design, Analysis which "
    "questions about raters are asked before and after, before raters begin."
)


def notes(
    codes: Codes, frames: Frames, estimates: Sequence[Estimate], protocol: Protocol, *, n_simulated: int = 0
) -> Iterator[str]:
    """Yield one sentence per note; `n_simulated` simulated raters were left out."""
    if n_simulated:
        who = "1 simulated rater is" if n_simulated == 1 else f"{whole(n_simulated)} simulated raters are"
        yield f"{who} left out of all results, because people have rated."
    if codes.n_excluded:
        yield f"Excluded from all estimates: {_rows(codes.n_excluded)} (column exclude)."
    if codes.n_repeats:
        yield f"Planned repeats, used only for intra-rater estimates: {_rows(codes.n_repeats)}."
    if protocol.design.adaptive:
        yield (
            "Pairs of sources were selected adaptively, so some were compared more often than "
            "others. Strengths account for this; shares and agreement describe the pairs that were rated."
        )
    if not codes.raters.are_known:
        yield UNKNOWN_RATERS
    yield from _undeclared(protocol)
    yield from explored(estimates).sentences
    yield from _marked_raters(frames)
    yield from _pairs_of_raters(frames)
    if codes.raters.is_model.any():
        n_models = len(np.unique(codes.rows.rater[codes.raters.is_model[codes.rows.rater]]))
        if n_models:
            models = f"{counted(n_models, 'model judge')} gave answers, which are reported separately."
            yield f"{models} They are not included in estimates of human raters."
            yield from map(_again_sentence, asked_again(frames))
            if _is_all_rated(codes) and not any(one.statistic.endswith("_ppi") for one in estimates):
                yield ALL_RATED


def _again_sentence(again: Again) -> str:
    """Which judge was asked again, on which days, and whether the model's version is another one."""
    first, later = (f" on {day.isoformat()}" if day else "" for day in again.days)
    after = f", after its first answers{first}" if first else ""
    asked = f"{again.later} is {again.first} asked again{later}{after}: it counts under Model judges only, as drift."
    if not all(again.versions):
        return f"{asked} The model's versions are not known."
    if again.has_new_version:
        return f"{asked} The model's version changed from {again.versions[0]} to {again.versions[1]}."
    return f"{asked} Both times the model's version was {again.versions[0]}."


def _is_all_rated(codes: Codes) -> bool:
    """Whether people rated every item that a judge rated."""
    is_model = codes.raters.is_model[codes.rows.rater]
    people, judged = (np.unique(codes.rows.item[kind & (codes.rows.item >= 0)]) for kind in (~is_model, is_model))
    return len(people) > 0 and bool(np.isin(judged, people).all())


def _undeclared(protocol: Protocol) -> Iterator[str]:
    """Yield that the design names no primary contrast, what is shown in its place, and what to do."""
    if protocol.analysis.primary:
        return
    contrasts = primary_contrasts(protocol)
    if not contrasts:
        yield NOTHING_PRIMARY
        return
    label = protocol.labels.question(contrasts[0].question)
    yield (
        "The design names no primary contrast, so the first question that can be compared is shown as the primary one: "
        f"{label}. {NAME_ONE}"
    )


def _marked_raters(frames: Frames) -> Iterator[str]:
    """Yield notes about simulated and imported raters."""
    said = {"is_simulated": ARE_SIMULATED, "is_imported": "raters rated elsewhere; their ratings were imported."}
    for mark, words in said.items():
        n = int(frames.raters[mark].fillna(False).astype(bool).sum()) if mark in frames.raters else 0
        if n:
            yield f"{n} of {len(frames.raters)} {words}"


def _pairs_of_raters(frames: Frames) -> Iterator[str]:
    """Yield that raters who wrote with each other are no independent raters."""
    n = int(frames.responses[WRITTEN_WITH].notna().sum()) if WRITTEN_WITH in frames.responses else 0
    if n:
        yield (
            f"{counted(n, 'pair')} of raters wrote with each other. Their answers and changes are clustered by pair; "
            "attrition and Cronbach's alpha take them as independent."
        )


def _rows(n: int) -> str:
    return "1 answer" if n == 1 else f"{whole(n)} answers"
