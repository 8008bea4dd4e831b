"""How much one input may hold, and what it may take to read it: a study folder, an upload or a spreadsheet."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.design.problem import InvalidInputError, Problem


@dataclass(frozen=True, slots=True)
class Limits:
    """What one input may hold. The defaults are those of a browser's upload.

    Attributes:
        cells: of one table.
        columns: of one table.
        unpacked_mb: all files of a folder or zip together, in MiB.
        sheet_mb: all parts of an Excel file together, unpacked, in MiB.
        ratio: how many times larger than its compressed form a file in a zip may be.
    """

    cells: int = 20_000_000
    columns: int = 1_000
    unpacked_mb: int = 512
    sheet_mb: int = 64
    ratio: int = 100

    def times(self, factor: int) -> Limits:
        """Limits that are so many times higher."""
        return Limits(*(getattr(self, name) * factor for name in self.__slots__))

    def max_rows(self, n_columns: int) -> int:
        """How many rows of so many columns are read at most."""
        return self.cells // max(1, n_columns)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What it may take to read one input.

    Attributes:
        seconds: of processor time.
        memory_mb: megabytes of memory beyond what the program takes by itself.
        limits: what the input may hold.
    """

    seconds: int = 60
    memory_mb: int = 2_000
    limits: Limits = field(default_factory=Limits)

    def times(self, factor: int) -> Bounds:
        """Bounds that are so many times higher."""
        return Bounds(self.seconds * factor, self.memory_mb * factor, self.limits.times(factor))

    def too_slow(self) -> InvalidInputError:
        """Reading took more time than allowed."""
        found = f"more than {self.seconds} seconds of processor time to read it"
        return _refusal(found, f"what can be read in {self.seconds} seconds; try a smaller file")

    def too_large(self) -> InvalidInputError:
        """Reading took more memory than allowed."""
        found = f"more than {self.memory_mb:,} MB of memory to read it"
        return _refusal(found, f"what can be read in {self.memory_mb:,} MB; try a smaller file")


def _refusal(found: str, allowed: str) -> InvalidInputError:
    return InvalidInputError([Problem("the input", None, None, found, allowed)])


# Files that are on this computer already may be larger than uploads.
ON_THIS_COMPUTER = Limits().times(4)
