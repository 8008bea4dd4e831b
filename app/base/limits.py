"""Limits on the size of an input (study folder, upload or spreadsheet) and on the resources for reading it."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.base.problem import InvalidInputError, Problem
from app.base.words import counted


@dataclass(frozen=True, slots=True)
class Limits:
    """Maximum size of one input. The defaults are those for uploads from a browser.

    Attributes:
        cells: maximum number of cells per table.
        columns: maximum number of columns per table.
        unpacked_mb: maximum size of all files of a folder or zip together, in MiB.
        sheet_mb: maximum size of all parts of an Excel file together, unpacked, in MiB.
        ratio: maximum ratio of a file's size to its compressed size in a zip.
    """

    cells: int = 20_000_000
    columns: int = 1_000
    unpacked_mb: int = 512
    sheet_mb: int = 64
    ratio: int = 100

    def times(self, factor: int) -> Limits:
        """These limits multiplied by a factor."""
        return Limits(*(getattr(self, name) * factor for name in self.__slots__))

    def max_rows(self, n_columns: int) -> int:
        """Maximum number of rows that are read from a table with this many columns."""
        return self.cells // max(1, n_columns)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Maximum resources for reading one input.

    Attributes:
        seconds: processor time, in seconds; on the clock, twice as many.
        memory_mb: memory in megabytes, beyond what the program itself uses.
        limits: maximum size of the input.
    """

    seconds: int = 60
    memory_mb: int = 2_000
    limits: Limits = field(default_factory=Limits)

    def times(self, factor: int) -> Bounds:
        """These bounds multiplied by a factor."""
        return Bounds(self.seconds * factor, self.memory_mb * factor, self.limits.times(factor))

    @property
    def clock_s(self) -> int:
        """Seconds on the clock: on a busy server, and in waiting for a disk, processor time passes slowly."""
        return 2 * self.seconds

    def too_slow(self) -> InvalidInputError:
        """The error for an input that took more time than allowed."""
        seconds = counted(self.seconds, "second")
        found = f"more than {seconds} of processor time, or {self.clock_s} seconds on the clock, to read it"
        return _refusal(found, f"input that can be read in {seconds}; try a smaller file")

    def too_busy(self) -> InvalidInputError:
        """The error for an input whose turn did not come."""
        return _refusal("a server that reads other uploads", "a turn; nothing was read. Try again in a few minutes")

    def too_large(self) -> InvalidInputError:
        """The error for an input that took more memory than allowed."""
        found = f"more than {self.memory_mb:,} MB of memory to read it"
        return _refusal(found, f"input that can be read in {self.memory_mb:,} MB; try a smaller file")


def _refusal(found: str, allowed: str) -> InvalidInputError:
    return InvalidInputError([Problem("the input", None, None, found, allowed)])


# Files on this computer may be larger than uploads.
ON_THIS_COMPUTER = Limits().times(4)
