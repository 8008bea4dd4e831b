"""Compute results that no other process computes or has computed, and keep them; runs in the side processes."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import Engine

from app.base.database.engine import Begin, transactions
from app.base.database.outages import OUTAGES
from app.base.database.process_locks import LockedError, only_process
from app.results.reports.computing import COUNTING, READING, LiveReport, compute, first_numbers, read_for_report
from app.results.reports.kept_results import WORK, ComputedElsewhereError, KeptResults
from app.studies.studies import StudyRow

if TYPE_CHECKING:
    from app.analysis.data.report_filters import Filters
    from app.results.reports.computing import Analyze, Computing, FirstNumbers, Tell
    from app.results.reports.known_marks import Seen


@dataclass(frozen=True)
class ComputedOnce:
    """Reads from `reading`, which may be a replica that is behind by up to `max_lag`; locks and keeps on `primary`."""

    primary: Engine
    reading: Begin
    max_lag: timedelta
    tell: Tell

    def count(self, study: StudyRow, seen: Seen | None) -> FirstNumbers:
        """Count the answers.

        Raises:
            ComputedElsewhereError: another process does, or computes the report.
        """
        with self._alone(study, seen) as (kept, tell):
            tell(COUNTING)
            first = first_numbers(self.reading, study)
            first = replace(first, read_at=first.read_at - self.max_lag)
            if seen:
                with suppress(*OUTAGES):
                    kept.keep_counts(study, seen, first)
            return first

    def report(
        self, study: StudyRow, filters: Filters, seen: Seen | None, settled: Collection[str], analyze: Analyze
    ) -> LiveReport | str:
        """Read the study and compute its report; or return only its name if it is kept, or one of `settled`.

        Raises:
            ComputedElsewhereError: another process computes results of the study.
        """
        with self._alone(study, seen) as (kept, tell):
            if seen and (name := kept.name_of(study.id, seen)):
                return name
            tell(READING)
            start = time.monotonic()
            read = read_for_report(self.reading, study, filters)
            if seen and kept.is_same(study.id, seen, read.name):
                return read.name
            read = replace(read, read_at=read.read_at - self.max_lag)
            made = compute(read, settled, tell, analyze)
            if isinstance(made, LiveReport):
                made = replace(made, took_s=time.monotonic() - start)
            if seen and isinstance(made, LiveReport):
                with suppress(*OUTAGES):  # the page that waits can have it
                    kept.keep_report(study, seen, made)
            return made

    @contextmanager
    def _alone(self, study: StudyRow, seen: Seen | None) -> Iterator[tuple[KeptResults, Tell]]:
        """Hold the study's lock, and tell others how far this is; without either for data that are not committed."""
        kept = KeptResults(transactions(self.primary))
        if seen is None:
            yield kept, self.tell
            return

        def tell(computing: Computing) -> None:
            self.tell(computing)
            lock.say(f"{computing.share:.2f}")

        try:
            with only_process(self.primary, WORK, study.id) as lock:
                yield kept, tell
        except LockedError:
            raise ComputedElsewhereError from None
