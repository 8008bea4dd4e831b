"""The study protocol: everything in study.yaml, that is, a study without its texts and ratings."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

from pydantic import model_validator

from app.base.problem import InconsistentPartsError
from app.base.words import readable
from app.protocol.consistency import problems_between_parts
from app.protocol.labels import ITEMS, WRITTEN, Labels, unique
from app.protocol.study_parts import ProtocolParts
from app.protocol.waves import wave_changes, wave_composites, wave_questions, with_wave_labels


class Protocol(ProtocolParts):
    """A validated study.yaml whose parts are consistent; an inconsistent protocol cannot be created."""

    @model_validator(mode="after")
    def _has_questions_of_waves(self) -> Self:
        """Add the questions, composites and changes of later waves; a stored protocol has them already."""
        if not self.waves:
            return self
        added = wave_questions(self.questions, self.flow, self.waves)
        questions = (*(one for one in self.questions if one not in added), *added)
        scores = {**self.analysis.composites}
        scores |= wave_composites(scores, questions, self.waves)
        object.__setattr__(self, "questions", questions)
        scaled = [one.key for one in self.scaled_questions]
        changes = wave_changes(self.analysis.changes, scores, scaled, self.waves)
        analysis = self.analysis.model_copy(update={"composites": scores, "changes": changes})
        object.__setattr__(self, "analysis", analysis)
        return self

    @model_validator(mode="after")
    def _parts_agree(self) -> Self:
        if problems := [*problems_between_parts(self)]:
            raise InconsistentPartsError(problems)
        return self

    @cached_property
    def labels(self) -> Labels:
        """The labels that people read in place of keys."""
        return labels_of(self)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy, whose labels are made from what it says."""
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("labels", None)
        return copied

    @property
    def hides_sources(self) -> bool:
        """Whether raters see several responses, and are not told who wrote them."""
        is_labelled = any(factor.kind == "shown_label" for factor in self.conditions.values())
        return self.design.blind and not is_labelled and not self.shows_one_text


def labels_of(protocol: ProtocolParts) -> Labels:
    """Every label of a study: as declared, otherwise made from the key."""
    composites = protocol.analysis.composites
    questions = {question.key: question.label for question in protocol.questions}
    scores = {key: one.label for key, one in composites.items()}
    return Labels(
        sources=unique({key: source.label for key, source in protocol.sources.items()}),
        questions=unique(with_wave_labels({**questions, **scores}, protocol.waves)),
        codes={
            question.key: {code: words or readable(code) for code, words in question.code_words().items()}
            for question in protocol.questions
            if question.code_words()
        },
        factors=unique({name: factor.label for name, factor in protocol.conditions.items()}),
        levels={name: _levels(protocol, name) for name in protocol.conditions},
        pools=unique({name: pool.label for name, pool in protocol.design.pools.items()}),
        attributes={name: attribute.label for name, attribute in protocol.attributes.items() if attribute.label},
        items=WRITTEN[protocol.writing.words.kind] if protocol.writing else ITEMS,
    )


def _levels(protocol: ProtocolParts, name: str) -> dict[str, str]:
    factor = protocol.conditions[name]
    if factor.kind != "source":
        return dict(factor.level_labels)
    sources = unique({key: source.label for key, source in protocol.sources.items()})
    return {level: factor.level_labels.get(level) or sources[level] for level in factor.levels if level in sources}
