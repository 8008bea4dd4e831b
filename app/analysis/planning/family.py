"""The contrasts that a plan simulates: those that it shows, and the primary contrasts that are adjusted with them.

Contrasts about other questions have the same assumptions as shares of their own scale, and are drawn independently.
"""

from collections.abc import Iterator
from dataclasses import astuple, replace

from app.analysis.planning.declared import (
    MARGINS,
    each_of,
    family_of,
    is_of_shares,
    is_of_sources,
    is_simulated,
)
from app.analysis.planning.pilot import assumed_of_scale, assumed_of_shares, assumed_of_texts
from app.analysis.planning.scenario import Assumed, Member
from app.analysis.sections.composites import composite_question
from app.protocol.primary import PrimaryContrast, is_of_texts
from app.protocol.primary_default import primary_contrasts
from app.protocol.questions.registry import ScaledQuestion
from app.protocol.study import Protocol
from app.stats.simulated_ratings import Sds


def members_of(
    protocol: Protocol, question: ScaledQuestion | None, assumed: Assumed, contrast: PrimaryContrast | None
) -> list[Member]:
    """The contrasts of a plan.

    Args:
        protocol: the study.
        question: the scale of the plan; None if it is of choices or shares only.
        assumed: the assumptions, in points of the scale, or as shares if the contrast is of shares.
        contrast: the contrast that is planned; None or one of two sources for means and choices of two sources.
    """
    is_declared = contrast is not None and not is_of_sources(contrast)
    shown = [contrast] if is_declared else [*_of_sources(protocol, question)]
    first = [each_of(protocol, one)[0] for one in shown if one is not None]
    family = family_of(protocol)
    of_shares = contrast is not None and is_of_shares(contrast)
    of_texts = contrast is not None and is_of_texts(contrast)

    def member(one: PrimaryContrast) -> Member:
        scale = scale_of(protocol, one.question)
        return Member(
            one,
            _assumed(one, scale, question, assumed, of_shares=of_shares, of_texts=of_texts),
            None if scale is None else scale.values,
            is_shown=one in first,
            is_in_family=one in family,
            is_simulated=is_simulated(protocol, one),
        )

    return [member(one) for one in dict.fromkeys([*first, *family])]


def _of_sources(protocol: Protocol, question: ScaledQuestion | None) -> Iterator[PrimaryContrast]:
    """The contrasts of two sources: the primary ones of the question and of the first choice, else their default."""
    asked = []
    if question is not None and question.target == "response":
        asked.append((question.key, "mean_difference"))
    if protocol.choice_questions:
        asked.append((protocol.choice_questions[0].key, "share_preferred"))
    if protocol.reference is None or len(protocol.sources) == 1:
        return
    for key, test in asked:
        primary = (one for one in primary_contrasts(protocol) if one.question == key and is_of_sources(one))
        yield next(primary, PrimaryContrast(question=key, test=test))


def scale_of(protocol: Protocol, key: str) -> ScaledQuestion | None:
    """The scale of a question or score; None if it has none."""
    scaled = {question.key: question for question in protocol.scaled_questions}
    composite = protocol.analysis.composites.get(key)
    if composite is None:
        return scaled.get(key)
    return composite_question(key, composite, [scaled[one] for one in composite.questions])


def _assumed(
    contrast: PrimaryContrast,
    scale: ScaledQuestion | None,
    planned: ScaledQuestion | None,
    assumed: Assumed,
    *,
    of_shares: bool,
    of_texts: bool,
) -> Assumed:
    """What is assumed of a contrast: what the plan assumes, on its own scale."""
    if is_of_texts(contrast):
        return assumed if of_texts else assumed_of_texts()
    if is_of_shares(contrast):
        return assumed if of_shares else assumed_of_shares()
    if scale is None or (planned is not None and scale.key == planned.key):
        return assumed_of_scale(None) if of_shares or of_texts else assumed
    own = assumed_of_scale(scale)
    if planned is not None and not (of_shares or of_texts):
        own = _rescaled(assumed, planned, scale)
    return replace(own, difference=0.0) if contrast.test in MARGINS else own


def _rescaled(assumed: Assumed, of: ScaledQuestion, scale: ScaledQuestion) -> Assumed:
    low, high = of.values[0], of.values[-1]
    times = (scale.values[-1] - scale.values[0]) / (high - low)
    return Assumed(
        Sds(*(times * sd for sd in astuple(assumed.sds))),
        scale.values[0] + times * (assumed.mean - low),
        times * assumed.difference,
        assumed.origin,
    )
