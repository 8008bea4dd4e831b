"""The declared looks are computed once for the same data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from app.analysis.monitoring import Monitored
from app.results.reports.monitoring_process import KEPT, KnownLooks
from tests.kit.frames import FIVE, frames, protocol

if TYPE_CHECKING:
    from app.base.processes.side_process import SideProcess


class Counting:
    """Stands for the process: counts what it is asked."""

    def __init__(self) -> None:
        self.n = 0

    def ask(self, _job: object, **_: Any) -> Monitored:  # noqa: ANN401 - as the process
        self.n += 1
        return Monitored(self.n, 10, 0, ())


def row(value: int) -> dict[str, object]:
    return {"rater": "a", "item": "i", "response": "i:human", "question": "empathy", "value": value}


def test_looks_are_computed_once_for_the_same_data() -> None:
    process, study = Counting(), protocol(FIVE)
    known = KnownLooks(cast("SideProcess", process))
    before, after = frames(study, [row(1)]), frames(study, [row(2)])
    assert known.of(before, study) is known.of(frames(study, [row(1)]), study)
    assert known.of(after, study) is not known.of(before, study)
    assert process.n == 2


def test_only_the_most_recent_looks_are_kept() -> None:
    process = Counting()
    known = KnownLooks(cast("SideProcess", process))
    for n in range(KEPT + 1):
        study = protocol(FIVE, title=f"Study {n}")
        known.of(frames(study, [row(1)]), study)
    assert process.n == KEPT + 1
    known.of(frames(study, [row(1)]), study)
    assert process.n == KEPT + 1
    first = protocol(FIVE, title="Study 0")
    known.of(frames(first, [row(1)]), first)
    assert process.n == KEPT + 2
