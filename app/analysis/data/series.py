"""Model judges that were asked the same again on a later day: a series, by the column `series` of raters.csv."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import pandas as pd

from app.analysis.data.frames import Frames

SERIES, VERSION = "series", "model_version"


@dataclass(frozen=True, slots=True)
class Again:
    """A judge that was asked again: the first of its series and the later one, with days and versions if known."""

    first: str
    later: str
    days: tuple[date | None, date | None]
    versions: tuple[str, str]

    @property
    def has_new_version(self) -> bool:
        """Whether other versions of the model answered."""
        return all(self.versions) and self.versions[0] != self.versions[1]


def later_runs(raters: pd.DataFrame) -> dict[str, str]:
    """Return the judges that were asked again, each with the first judge of its series, in the order of the table.

    A series is the judges with the same value in the column `series`, and the judge whose ID that is.
    """
    if SERIES not in raters:
        return {}
    models = raters.loc[raters["kind"] == "model", ["rater", SERIES]]
    first: dict[str, str] = {}
    found = {}
    for key, series in zip(models["rater"], models[SERIES], strict=True):
        name = str(key) if pd.isna(series) or series == "" else str(series)
        begun = first.setdefault(name, str(key))
        if begun != key:
            found[str(key)] = begun
    return found


def asked_again(frames: Frames) -> Iterator[Again]:
    """Yield each judge that was asked again and has answers."""
    raters = frames.raters.set_index("rater")
    times = frames.ratings.groupby("rater")["rated_at"].min()
    for later, first in later_runs(frames.raters).items():
        if {first, later} <= {*times.index}:
            both = first, later
            one, other = (None if pd.isna(times[key]) else times[key].date() for key in both)
            versions = raters[VERSION].fillna("") if VERSION in raters else pd.Series("", index=raters.index)
            yield Again(first, later, (one, other), (str(versions[first]), str(versions[later])))
