"""The study protocol: a whole study but its texts and ratings, as study.yaml says it."""

from __future__ import annotations

from pydantic import model_validator

from app.design.protocol.consistency import problems_between_parts
from app.design.protocol.study_parts import ProtocolParts


class Protocol(ProtocolParts):
    """study.yaml, checked: the parts agree with each other, so that no inconsistent protocol can be made."""

    @model_validator(mode="after")
    def _parts_agree(self) -> Protocol:
        if problem := next(problems_between_parts(self), None):
            raise ValueError(problem)
        return self
