"""Compute a published study again, and compare each printed number."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.analysis import analyze
from app.analysis.data.study_folder import frames_of
from app.analysis.estimate import Estimate
from app.results.reproduction.ayers2023 import AYERS
from app.results.reproduction.kumar2025 import KUMAR
from app.results.reproduction.pack import Pack, Published
from app.results.reproduction.pandalm import PANDALM
from app.studies.folder.read import read_folder

PACKS = {pack.key: pack for pack in (AYERS, KUMAR, PANDALM)}
# The difference is rounded like the printed numbers, so that the last bit of 0.8505 - 0.85 does not decide.
_ROUNDING = 1e-9


class WrongDataError(ValueError):
    """The data are not those that the pack reads."""


@dataclass(frozen=True, slots=True)
class Reproduced:
    """One printed number beside ours; `value` is None if there is no such estimate."""

    published: Published
    value: float | None

    @property
    def difference(self) -> float | None:
        """Ours minus the printed one."""
        return None if self.value is None else self.value - self.published.value

    @property
    def is_within(self) -> bool:
        """Whether the two agree within the tolerance."""
        return self.difference is not None and abs(self.difference) <= self.published.tolerance + _ROUNDING


def reproduce(pack: Pack, data: Path, folder: Path) -> list[Reproduced]:
    """Write the study folder of a pack, compute its report, and compare.

    Args:
        pack: the published study.
        data: the published file or folder.
        folder: where the study folder is written.

    Raises:
        WrongDataError: the data lack what the pack reads.
        OSError: a file is missing.
    """
    try:
        pack.write(folder, data)
        published = pack.published(data)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        missing = f" (looked for {error})" if isinstance(error, KeyError) else ""
        raise WrongDataError(f"{data} is not what this pack reads{missing}. It needs {pack.data}.") from None
    read = read_folder(folder)
    estimates = analyze(frames_of(read), read.protocol).estimates
    return [Reproduced(one, _value(one, estimates)) for one in published]


def _value(published: Published, estimates: Sequence[Estimate]) -> float | None:
    found = [one for one in estimates if published.is_met_by(one)]
    if not found:
        return None
    value: float | None = getattr(found[-1 if published.is_last else 0], published.part)
    return value
