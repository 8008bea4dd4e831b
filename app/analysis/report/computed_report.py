"""Compute the report of a study."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from app.analysis.data.earlier_words import earlier_sentences, earlier_words
from app.analysis.data.encoded_study import Codes, codes_of
from app.analysis.data.filter_options import filtered_protocol
from app.analysis.data.filters import filtered
from app.analysis.data.frame_evidence import rater_flags
from app.analysis.data.frames import WRITTEN_WITH, Frames, for_items_only, with_own_texts, with_slots
from app.analysis.data.report_filters import ALL, Filters
from app.analysis.data.series import Again, asked_again
from app.analysis.data.simulated import ARE_SIMULATED, counted_frames
from app.analysis.estimate import Estimate
from app.analysis.report.explored import DIFFERENCES, explored
from app.analysis.report.primary import declared_first, mirrors_of, places_of, primary_results, with_roles
from app.analysis.report.recipe import data_hash, with_recipes
from app.analysis.report.report import SECTIONS, Report
from app.analysis.report.sample import sample_of
from app.analysis.report.verdicts import effect_behind, with_verdicts
from app.analysis.sections.all_sections import estimates_for, estimates_of
from app.analysis.sections.study_data import StudyData
from app.analysis.sections.texts import at_equal_length
from app.analysis.statistic import declared
from app.base.numbers import whole
from app.base.words import counted
from app.protocol.primary import PrimaryContrast
from app.protocol.primary_default import primary_contrasts
from app.protocol.study import Protocol
from app.stats.arrays import one_thread
from app.stats.multiplicity import Adjustment, adjusted
from app.stats.remembered import remembering

# Primary contrasts that compare a source with another reference than that of the analysis.


def in_declared_directions(estimates: Sequence[Estimate], study: StudyData) -> list[Estimate]:
    """Return the estimates with those of the contrasts whose direction, or pair of sources, is not among them.

    The analysis compares every source with its own reference. The contrasts that declare another one are computed by
    the same sections with that reference, so that each test is the declared one, also if it is one-sided.
    """
    found = list(estimates)
    made: dict[tuple[str, str | None, str | None], list[Estimate]] = {}
    for contrast in _against_another(study):
        other = study.against(contrast.reference)
        key = (contrast.question, contrast.reference, contrast.test)
        if key not in made:
            made[key] = [*estimates_for(other, [contrast]), *at_equal_length(other, contrast.question)]
        known = [found[place].scope for place in places_of(contrast, found, study.protocol)]
        for place in places_of(contrast, made[key], other.protocol):
            one = made[key][place]
            behind = effect_behind(one, made[key])
            news = (one, behind) if one.scope not in known else ()
            news = (*news, _at_equal(behind or one, made[key]))
            found += [new for new in news if new is not None and new not in found]
    return found


def _at_equal(estimate: Estimate, among: Sequence[Estimate]) -> Estimate | None:
    """The same difference at equal length, which tells whether length could explain it."""
    name, scope = declared(estimate.statistic).at_equal_length, {**estimate.scope, "covariate": "length"}
    same = (one for one in among if (one.measured, one.statistic) == (estimate.measured, name))
    return next((one for one in same if one.scope == scope), None)


def _against_another(study: StudyData) -> Iterator[PrimaryContrast]:
    """Yield the contrasts, and their published tests, with a reference that is a source but not the analysis's."""
    for contrast in primary_contrasts(study.protocol):
        if contrast.reference in study.protocol.sources and contrast.reference != study.protocol.reference:
            yield from (one for one in (contrast, contrast.as_published) if one is not None)


# Adjust p-values for multiple testing: the primary contrasts as one family, all others by kind of test.

ADJUSTED = ("comparison", "choice", "ranking", "belief", "subgroup", "contrast")


def with_adjusted_p(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return the estimates with `p_adjusted`: Holm over the primary contrasts, Benjamini-Hochberg over the others.

    The primary contrasts are one family, whatever their tests. An exploratory family consists of one kind of test over
    questions and sources, including pairs of sources without the reference: the same statistic, unit and raters, and
    the same position among the records of that statistic (the first method, the second ...). Several tests of one
    difference do not count as several differences, nor does a difference that is reported in both directions. A test
    that is alone in its family is not adjusted.
    """
    mirrors = mirrors_of(estimates)
    is_test = [one.p_value is not None and at not in mirrors for at, one in enumerate(estimates)]
    primary = [at for at, one in enumerate(estimates) if one.role == "primary" and is_test[at]]
    found = _with_p(list(estimates), primary, "holm")
    for members in _families(estimates, is_test).values():
        found = _with_p(found, members, "benjamini_hochberg")
    for mirror, test in mirrors.items():
        found[mirror] = replace(found[mirror], p_adjusted=found[test].p_adjusted)
    return found


def _families(estimates: Sequence[Estimate], is_test: Sequence[bool]) -> dict[tuple[object, ...], list[int]]:
    """The positions of the exploratory tests by family."""
    families: dict[tuple[object, ...], list[int]] = defaultdict(list)
    places: Counter[tuple[object, ...]] = Counter()
    for at, estimate in enumerate(estimates):
        if estimate.section in ADJUSTED:
            record = (estimate.section, estimate.measured, str(estimate.scope), estimate.statistic, estimate.unit)
            if estimate.role != "primary" and is_test[at]:
                families[_family(estimate, places[record])].append(at)
            places[record] += 1
    return families


def _with_p(estimates: list[Estimate], members: Sequence[int], method: Adjustment) -> list[Estimate]:
    """Return the list, with the adjusted p-values of one family filled in, if it has several tests."""
    if len(members) == 1:
        return estimates
    for at, p in zip(members, adjusted([estimates[k].p_value for k in members], method), strict=True):
        estimates[at] = replace(estimates[at], p_adjusted=p)
    return estimates


def _family(estimate: Estimate, place: int) -> tuple[object, ...]:
    raters = tuple((key, value) for key, value in estimate.scope.items() if key in {"pool", "rater_kind"})
    section = DIFFERENCES[0] if estimate.section in DIFFERENCES else estimate.section
    return section, estimate.statistic, estimate.unit, place, tuple(estimate.scope), raters


# Notes to read before the estimates: what was excluded, which raters are not human, how many tests were run.

UNKNOWN_RATERS = (
    "It is not known which person gave which rating: raters are counted as slots, intervals generalize to new items "
    "only, and nothing is reported about single raters."
)


ALL_RATED = (
    "People rated every item that model judges rated, so there is nothing that judges could add to people's answers: "
    "no estimates of judge and people together."
)
NAME_ONE = "To choose another, name it in analysis.primary of study.yaml before raters begin."
NOTHING_PRIMARY = (
    "The study has no primary contrast: none of its questions compares sources, conditions, pools or times, or has "
    "answers on which raters can agree. Add a question about responses, or say in analysis.changes which "
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


@remembering()
def report_of(
    frames: Frames,
    protocol: Protocol,
    *,
    full: bool,
    only_primary: bool = False,
    filters: Filters = ALL,
    watch: Callable[[int, int], None] = lambda _done, _all: None,
    first: Callable[[Report], None] | None = None,
) -> Report:
    """See `app.analysis.analyze`. With `only_primary`, only the sections of the primary contrasts are computed."""
    if first:
        first(report_of(frames, protocol, full=full, only_primary=True, filters=filters))
    is_known = protocol.raters.identity == "known"
    frames, n_simulated = counted_frames(frames)
    earlier = earlier_words(frames)
    frames = frames if is_known else with_slots(frames)
    frames = with_own_texts(frames) if protocol.writing else frames
    # From all answers, before filtering: the same raters are flagged in every part of the results.
    flagged = {} if only_primary and not filters.without_flagged else rater_flags(frames, protocol)
    frames, protocol = filtered(frames, filters, flagged), filtered_protocol(protocol, filters)
    codes = codes_of(frames, protocol)
    study = StudyData(codes, protocol, full, frames, flagged, earlier_words=earlier)
    made_of = estimates_for(study, primary_contrasts(protocol)) if only_primary else estimates_of(study, watch)
    with one_thread():
        found = in_declared_directions(list(made_of), study)
        estimates = sorted(found, key=lambda estimate: SECTIONS.index(estimate.section))
    estimates = estimates if is_known else list(for_items_only(estimates))
    roled, places = with_roles(declared_first(estimates, protocol), protocol)
    adjusted = with_verdicts(with_adjusted_p(roled))
    data = data_hash(codes, frames, protocol)
    sample = sample_of(frames, codes, protocol, earlier)
    by_version = earlier_sentences(sample.by_version, protocol.labels)
    told = (*by_version, *notes(codes, frames, () if only_primary else adjusted, protocol, n_simulated=n_simulated))
    made = tuple(with_recipes(adjusted, data, full=full, filters=filters, without_simulated=n_simulated > 0))
    primary = primary_results(made, places, protocol)
    return Report(protocol.slug, data, told, made, primary, filters, sample)
