"""The report of a study: every figure once, in the order in which they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.analysis.agreement import agreement
from app.analysis.answers import choice_answers, scaled_answers
from app.analysis.choice import choice
from app.analysis.codes import codes_of
from app.analysis.comparison import comparison
from app.analysis.distribution import distribution
from app.analysis.families import with_adjusted_p
from app.analysis.kappas import kappas
from app.analysis.recipe import data_hash, notes
from app.analysis.sheet import ChoiceSheet, ScaledSheet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.codes import Codes
    from app.analysis.figure import Figure
    from app.analysis.frames import Frames
    from app.analysis.sheet import AnySheet
    from app.design.protocol import Protocol


@dataclass(frozen=True, slots=True)
class Report:
    """What the page, the JSON, the CSV and the command line show.

    `notes` are sentences about the whole; `data_hash` is a SHA-256 of all that the figures are computed from.
    """

    study: str
    data_hash: str
    notes: tuple[str, ...]
    figures: tuple[Figure, ...]

    def of(self, section: str, question: str | None = None) -> tuple[Figure, ...]:
        """The figures of a section, and of one question if it is named."""
        return tuple(
            figure
            for figure in self.figures
            if figure.section == section and (question is None or figure.question == question)
        )

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections that have figures, in the order of reading."""
        return tuple(dict.fromkeys(figure.section for figure in self.figures))

    def as_document(self) -> dict[str, Any]:
        """The report as plain JSON types."""
        return {
            "study": self.study,
            "data_hash": self.data_hash,
            "notes": list(self.notes),
            "figures": [figure.as_record() for figure in self.figures],
        }


def report_of(frames: Frames, protocol: Protocol, *, full: bool) -> Report:
    """See `app.analysis.analyze`."""
    codes = codes_of(frames, protocol)
    digest = data_hash(codes, frames, protocol)
    given = _Given(codes, protocol, full)
    scaled, choices = list(given.scaled()), list(given.choices())
    figures: list[Figure] = []
    for sheet in scaled:
        figures += [*distribution(sheet), *comparison(sheet)]
    for votes in choices:
        figures += choice(votes)
    every: list[AnySheet] = [*scaled, *choices]
    for any_sheet in every:
        figures += [*agreement(any_sheet), *kappas(any_sheet)]
    figures.sort(key=lambda figure: SECTIONS.index(figure.section))
    adjusted = with_adjusted_p(figures, protocol.analysis.confirmatory)
    return Report(protocol.slug, digest, tuple(notes(codes, frames)), tuple(adjusted))


SECTIONS = ("distribution", "comparison", "choice", "agreement")


@dataclass(frozen=True, slots=True)
class _Given:
    """What all sheets share."""

    codes: Codes
    protocol: Protocol
    full: bool

    def scaled(self) -> Iterator[ScaledSheet]:
        for question in self.protocol.scaled_questions:
            declared = self.protocol.analysis
            yield ScaledSheet(
                self.codes,
                question,
                scaled_answers(self.codes, question),
                self.protocol.reference,
                cut=declared.cut.get(question.key),
                margin=declared.margin.get(question.key),
                full=self.full,
            )

    def choices(self) -> Iterator[ChoiceSheet]:
        for question in self.protocol.choice_questions:
            answers = choice_answers(self.codes, question)
            yield ChoiceSheet(self.codes, question, answers, self.protocol.reference, full=self.full)
