"""The study protocol: everything in study.yaml, that is, a study without its texts and ratings."""

from __future__ import annotations

from pydantic import model_validator

from app.base.problem import InconsistentPartsError
from app.protocol.consistency import problems_between_parts
from app.protocol.labels import Labels
from app.protocol.study_labels import labels_of
from app.protocol.study_parts import ProtocolParts


class Protocol(ProtocolParts):
    """A validated study.yaml whose parts are consistent; an inconsistent protocol cannot be created."""

    @model_validator(mode="after")
    def _parts_agree(self) -> Protocol:
        if problems := [*problems_between_parts(self)]:
            raise InconsistentPartsError(problems)
        return self

    @property
    def labels(self) -> Labels:
        """The labels that people read in place of keys."""
        return labels_of(self)
