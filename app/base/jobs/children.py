"""The processes in which jobs do their heavy work: it slows down no rater, and the worker survives if one crashes."""

from collections import defaultdict
from collections.abc import Callable
from threading import Lock
from typing import Any

from app.base.processes.side_process import SideProcess, within_bounds

# Starting takes about two seconds; an idle process takes a quarter of a gigabyte.
REST_S = 600
# A function with its arguments, seconds of processor time, and MB of memory.
Bounded = tuple[Callable[..., Any], tuple[Any, ...], int, int]


class Children:
    """As many processes as jobs of a lane run at once; each stays for the next job of its lane."""

    def __init__(self) -> None:
        """Create the object; a process starts when it is needed."""
        self._idle: defaultdict[str, list[SideProcess]] = defaultdict(list)
        self._all: list[SideProcess] = []
        self._guard = Lock()

    def ask(self, lane: str, work: Bounded, *, timeout_s: float, told: Callable[[Any], None]) -> Any:  # noqa: ANN401 - what it returns
        """Call the function in a process of this lane; see `SideProcess.ask`.

        Raises:
            OutOfTimeError, OutOfMemoryError: it took more than its bounds.
            SideProcessError: the process ended, or took too long.
            Exception: any exception raised by the function.
        """
        with self._guard:
            if self._idle[lane]:
                process = self._idle[lane].pop()
            else:
                process = SideProcess(within_bounds, name=f"attune-{lane}", rest_s=REST_S)
                self._all.append(process)
        try:
            return process.ask(work, timeout_s=timeout_s, told=told)
        finally:
            with self._guard:
                self._idle[lane].append(process)

    def stop(self) -> None:
        """End the processes, if there are any; those who wait for one get a `SideProcessError`."""
        for process in [*self._all]:
            process.kill()
