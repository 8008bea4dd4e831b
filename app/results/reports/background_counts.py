"""Large studies are counted before a lead asks: the first page of their results then has numbers at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.analysis.data.report_filters import ALL
from app.base.database.engine import Begin
from app.base.problem import BlindedError
from app.base.processes.side_process import SideProcessError
from app.results.blinding import is_blinded
from app.results.data.answer_counts import list_large_studies
from app.results.reports.kept_results import KeptResults
from app.results.reports.known_marks import MANY, KnownMarks, Seen
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow, get_study

if TYPE_CHECKING:
    from app.results.reports.report_job import Work


def count_large_studies(begin: Begin, work: Work) -> list[str]:
    """Count the studies of more than `MANY` ratings that have no report and no counts of nearly as many ratings.

    One after the other, by the same work and under the same lock as for a page. Returns the slugs of those counted.
    """
    with begin() as db:
        large = list_large_studies(db, MANY)
    kept, counted = KeptResults(begin), []
    for slug, n_ratings in large:
        found = _seen(begin, slug, n_ratings)
        if found is None or not kept.are_needed(*found):
            continue
        study, seen = found
        try:
            work.prepare(begin, study, ALL).count(seen, lambda _: None)
        except (SideProcessError, BlindedError):
            continue  # a page counts it, or the next look does; or its protocol has just changed
        counted.append(slug)
    return counted


def _seen(begin: Begin, slug: str, n_ratings: int) -> tuple[StudyRow, Seen] | None:
    """The study and what leads have decided about it; None if its estimates are hidden, or it is gone."""
    with begin() as db:
        study = get_study(db, slug)
        if study is None or is_blinded(study, get_protocol(db, study.id, study.protocol_version)):
            return None
        seen = KnownMarks().glance(db, study, ALL)
    return (study, replace(seen, n_ratings=n_ratings)) if seen else None
