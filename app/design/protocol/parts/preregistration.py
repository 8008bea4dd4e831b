"""What a preregistration says beyond the design: hypotheses, sample size, stopping rule, exclusions."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from app.design.questions.prose import Prose


class Preregistration(BaseModel):
    """The lead's own words for the forms of OSF and AsPredicted. All else is written from the other parts."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    hypotheses: tuple[Prose, ...] = ()
    """What you expect to find, one statement each, with its direction."""
    sample_size: Prose = ""
    """Why this many items and raters; the power of the plan is added to it."""
    stopping_rule: Prose = ""
    """When data collection ends. Default: when every trial has its number of raters."""
    exclusions: Prose = ""
    """Which raters or ratings will be left out, by which rule. Default: none; flagged raters are kept, and the
    estimates are repeated without them.
    """
    existing_data: Prose = ""
    """Which data exist already and who has seen them. Default: whether the study had ratings at registration.
    """
    other: Prose = ""
    """Anything else, such as secondary analyses."""
