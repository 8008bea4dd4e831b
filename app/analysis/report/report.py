"""The report of a study: every figure once, in the order in which they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.analysis.data.encoded_study import codes_of
from app.analysis.data.study_data import Sheets
from app.analysis.report.multiple_testing import with_adjusted_p
from app.analysis.report.notes import notes
from app.analysis.report.recipe import data_hash, with_recipes
from app.analysis.sections.all_sections import figures_of

if TYPE_CHECKING:
    from app.analysis.data.frames import Frames
    from app.analysis.report.estimate import Figure
    from app.design.protocol.study import Protocol

SECTIONS = (
    "distribution",
    "comparison",
    "choice",
    "category",
    "belief",
    "subgroup",
    "composite",
    "dimension",
    "text",
    "agreement",
    "disagreement",
    "rater",
    "judge",
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
    figures = sorted(
        figures_of(Sheets(codes, protocol, full, frames)), key=lambda figure: SECTIONS.index(figure.section)
    )
    adjusted = with_adjusted_p(figures, protocol.analysis.confirmatory)
    data = data_hash(codes, frames, protocol)
    told = tuple(notes(codes, frames, adjusted, protocol))
    return Report(protocol.slug, data, told, tuple(with_recipes(adjusted, data, full=full)))
