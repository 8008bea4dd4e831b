"""The study protocol: a whole study but its texts and ratings, as study.yaml says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import model_validator

from app.design.protocol.consistency import problems_between_parts
from app.design.protocol.study_labels import labels_of
from app.design.protocol.study_parts import ProtocolParts

if TYPE_CHECKING:
    from app.design.protocol.labels import Labels


class Protocol(ProtocolParts):
    """study.yaml, checked: the parts agree with each other, so that no inconsistent protocol can be made."""

    @model_validator(mode="after")
    def _parts_agree(self) -> Protocol:
        if problem := next(problems_between_parts(self), None):
            raise ValueError(problem)
        return self

    @property
    def labels(self) -> Labels:
        """What people read instead of keys."""
        return labels_of(self)
