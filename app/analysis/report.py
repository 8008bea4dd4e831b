"""The report of a study: every figure once, in the order in which they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.analysis.agreement import agreement
from app.analysis.belief import beliefs_of, detection, effects
from app.analysis.category import categories
from app.analysis.choice import choice
from app.analysis.codes import codes_of
from app.analysis.coherence import coherence
from app.analysis.comparison import comparison
from app.analysis.composite import composites, table_of
from app.analysis.dimension import dimensions
from app.analysis.distribution import distribution
from app.analysis.families import with_adjusted_p
from app.analysis.flagged import without_flagged
from app.analysis.kappas import kappas
from app.analysis.rater import raters
from app.analysis.recipe import data_hash, notes
from app.analysis.repeat import repeats
from app.analysis.sheets import Sheets
from app.analysis.sitting import Sittings, sittings
from app.analysis.subgroup import choice_subgroups, subgroups
from app.analysis.truth import truth

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.analysis.figure import Figure
    from app.analysis.frames import Frames
    from app.analysis.sheet import ScaledSheet
    from app.design.protocol import Protocol

SECTIONS = (
    "distribution",
    "comparison",
    "choice",
    "category",
    "belief",
    "subgroup",
    "composite",
    "dimension",
    "agreement",
    "rater",
)


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
    figures = sorted(_figures(Sheets(codes, protocol, full, frames)), key=lambda figure: SECTIONS.index(figure.section))
    adjusted = with_adjusted_p(figures, protocol.analysis.confirmatory)
    return Report(
        protocol.slug, data_hash(codes, frames, protocol), tuple(notes(codes, frames, adjusted)), tuple(adjusted)
    )


def _figures(sheets: Sheets) -> Iterator[Figure]:
    scaled = [*sheets.scaled, *(sheet for sheet, _ in sheets.composites)]
    for sheet in scaled:
        yield from distribution(sheet)
        yield from comparison(sheet)
    for sheet, table in sheets.composites:
        yield from composites(sheet, table)
    for split in sheets.splits:
        for sheet in scaled:
            yield from subgroups(sheet, split)
        for votes in sheets.choices:
            yield from choice_subgroups(votes, split)
    for of_one_target in sheets.by_target():
        questions = [sheet.question for sheet in of_one_target]
        yield from dimensions(of_one_target, table_of(sheets.codes, questions))
    yield from _choices(sheets, scaled)
    yield from _codes_given(sheets)
    for any_sheet in sheets.every:
        yield from agreement(any_sheet)
        yield from kappas(any_sheet)
    yield from _of_raters(sheets)


def _of_raters(sheets: Sheets) -> Iterator[Figure]:
    """Times and checks, headlines without whoever is flagged, then question by question what each person is like."""
    known = Sittings(sheets.codes, sheets.frames, sheets.protocol)
    yield from sittings(known)
    for sheet in sheets.every:
        yield from without_flagged(sheet, known.flagged)
    for sheet in sheets.every:
        yield from raters(sheet)
    if sheets.has_repeats:
        for again in sheets.with_repeats.every:
            yield from repeats(again)
    for sheet in sheets.every:
        yield from truth(sheet)


def _choices(sheets: Sheets, scaled: Sequence[ScaledSheet]) -> Iterator[Figure]:
    for votes in sheets.choices:
        yield from choice(votes)
        for sheet in scaled:
            yield from coherence(votes, sheet)


def _codes_given(sheets: Sheets) -> Iterator[Figure]:
    """Shares of codes; and where the protocol says which question is on who wrote a response, what was believed."""
    for asked in sheets.categories:
        yield from categories(asked)
        beliefs = beliefs_of(sheets.protocol, asked)
        if beliefs is not None:
            yield from detection(beliefs)
            for sheet in sheets.scaled:
                if sheet.question.target == "response":
                    yield from effects(sheet, beliefs)
