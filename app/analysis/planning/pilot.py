"""The assumptions of a plan: from existing ratings, or as stated by the lead."""

from collections.abc import Mapping
from dataclasses import fields, replace

import numpy as np

from app.analysis.data.answers import Answers, scaled_answers
from app.analysis.data.encoded_study import Codes, codes_of
from app.analysis.data.frames import Frames
from app.analysis.data.simulated import counted_frames
from app.analysis.planning.scenario import Assumed
from app.analysis.sections.composites import composite_answers, table_of
from app.protocol.questions.registry import ScaledQuestion
from app.protocol.study import Protocol
from app.stats.mixed.lmm import fit_lmm
from app.stats.mixed.model_design import random_columns
from app.stats.simulated_ratings import Sds

# As shares of the range of the scale; close to Ayers et al. (2023) and the experts of Kumar et al. (2025).
DEFAULT_SDS = Sds(item=0.15, rater=0.12, item_source=0.15, rater_source=0.08, residual=0.19)
DEFAULT_DIFFERENCE = 0.1
ASSUMED = "assumed: typical proportions of the scale's range"
# Each standard deviation of a mean is at most the mean of those of its questions, which it has if they agree perfectly.
CAUTIOUS = f"{ASSUMED} for a single question, which a score of several questions does not exceed"
FIVE_POINTS = 4.0


def assumed_of_scale(question: ScaledQuestion | None, *, is_composite: bool = False) -> Assumed:
    """Return default assumptions: a small difference around the middle of the scale (default: five points)."""
    low, high = (question.values[0], question.values[-1]) if question else (1.0, 1.0 + FIVE_POINTS)
    span = high - low
    sds = Sds(**{one.name: round(getattr(DEFAULT_SDS, one.name) * span, 4) for one in fields(Sds)})
    difference = DEFAULT_DIFFERENCE * span
    return Assumed(sds, (low + high) / 2 - difference / 2, difference, CAUTIOUS if is_composite else ASSUMED)


def assumed_of_shares() -> Assumed:
    """Return default assumptions for answers that are given or not: shares, and sds on a scale from 0 to 1."""
    return replace(
        assumed_of_scale(None), sds=DEFAULT_SDS, mean=0.5 - DEFAULT_DIFFERENCE / 2, difference=DEFAULT_DIFFERENCE
    )


def assumed_of_texts() -> Assumed:
    """Return default assumptions for a measure of texts, in its standard deviations over the texts of a source.

    Two texts about the same item correlate with .5; the difference is of medium size (Cohen 1988).
    """
    sds = Sds(item=0.75**0.5, rater=0.0, item_source=1.0, rater_source=0.0, residual=0.0)
    return Assumed(sds, -0.25, 0.5, "assumed: in standard deviations of the measure, half of one apart")


def with_stated(assumed: Assumed, stated: Mapping[str, float | None]) -> Assumed:
    """Return the assumptions with the stated values: `mean`, `difference` or names of the standard deviations."""
    given = {name: value for name, value in stated.items() if value is not None}
    if not given:
        return assumed
    of_sds = {name: value for name, value in given.items() if name not in {"mean", "difference"}}
    others = {name: value for name, value in given.items() if name not in of_sds}
    if "difference" in others and "mean" not in others:
        others["mean"] = with_difference(assumed, others["difference"]).mean
    origin = f"{assumed.origin}; stated: {', '.join(given)}"
    return replace(assumed, sds=replace(assumed.sds, **of_sds), origin=origin, **others)


def with_difference(assumed: Assumed, difference: float) -> Assumed:
    """The assumptions with another difference around the same middle."""
    return replace(assumed, mean=assumed.mean + (assumed.difference - difference) / 2, difference=difference)


def assumed_of_pilot(frames: Frames, protocol: Protocol, question: ScaledQuestion) -> Assumed | None:
    """Estimate the assumptions from a pilot: a linear mixed model of human ratings of source and reference.

    Returns:
        None if there are too few ratings to separate items, raters and residuals.
    """
    codes = codes_of(counted_frames(frames)[0], protocol)
    answers = _answers(codes, protocol, question)
    reference = codes.sources.index(protocol.reference) if protocol.reference else -1
    source = next((code for code in range(len(codes.sources)) if code != reference), -1)
    is_in = np.isin(answers.source, [reference, source]) & ~codes.raters.is_model[answers.rater]
    pilot = answers.select(is_in)
    if len(set(pilot.source.tolist())) < 2:  # noqa: PLR2004 - a difference needs two
        return None
    contrast = (pilot.source == source) - 0.5
    columns = random_columns(pilot.item, pilot.rater, contrast)
    fit = fit_lmm(
        pilot.value,
        np.array([np.ones(len(contrast)), contrast]),
        item=pilot.item,
        rater=pilot.rater,
        item_columns=columns.item,
        rater_columns=columns.rater,
    )
    if fit is None or not fit.is_converged:
        return None
    found = dict(zip(columns.names, map(float, [*fit.sd_item, *fit.sd_rater]), strict=True))
    sds = Sds(
        item=found.get("item", 0.0),
        rater=found.get("rater", 0.0),
        item_source=found.get("item_slope", 0.0),
        rater_source=found.get("rater_slope", 0.0),
        residual=fit.sd_residual,
    )
    gap = float(fit.beta[1])
    return Assumed(sds, float(fit.beta[0]) - gap / 2, gap, f"pilot: {len(contrast)} ratings of {question.key}")


def _answers(codes: Codes, protocol: Protocol, question: ScaledQuestion) -> Answers:
    """Return the answers to a question, or the scores of a composite."""
    composite = protocol.analysis.composites.get(question.key)
    if composite is None:
        return scaled_answers(codes, question)
    by_key = {one.key: one for one in protocol.scaled_questions}
    return composite_answers(table_of(codes, [by_key[key] for key in composite.questions]), composite)
