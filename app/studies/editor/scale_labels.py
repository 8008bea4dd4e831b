"""The points of a scale as lines of text: what a lead reads, edits and pastes in place of values and words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.base.words import counted

Points = dict[str, str]
_NUMBER = r"(-?\d+(?:\.\d+)?)"
# “(1) never”, “1 = never”, “1. never”, “1) never”, “1 - never”, or a number alone; and “never (1)”.
_FIRST = re.compile(rf"(?:\({_NUMBER}\)|{_NUMBER}\s*(?:[=:)\t]|\.(?=\s|$)|\s[-–—](?=\s)|$))\s*(.*)")
_LAST = re.compile(rf"(.*\S)\s*\({_NUMBER}\)")
_SPACED = re.compile(r"(\d+)\s+(\S.*)")


@dataclass(frozen=True, slots=True)
class Pasted:
    """Labels whose number differs from the number of points: the lead decides what they are for."""

    lines: tuple[tuple[str | None, str], ...]
    now: Mapping[str, str]

    @property
    def n(self) -> int:
        """The number of labels."""
        return len(self.lines)

    @property
    def sentence(self) -> str:
        """What does not fit.

        >>> Pasted(((None, "a"),) * 5, dict.fromkeys("1234567", "")).sentence
        'These are 5 labels, and the scale has 7 points.'
        """
        these = "This is" if self.n == 1 else "These are"
        return f"{these} {counted(self.n, 'label')}, and the scale has {counted(len(self.now), 'point')}."

    def as_points(self) -> Points:
        """A scale with one point per label."""
        first = 0 if next(iter(self.now), "") == "0" else 1
        return {number or str(first + place): words for place, (number, words) in enumerate(self.lines)}

    def as_ends(self) -> Points:
        """The current values, with the first and the last label at the ends and none between."""
        words = dict.fromkeys(self.now, "")
        ends = {next(iter(words)): self.lines[0][1], next(reversed(words)): self.lines[-1][1]}
        return {**words, **ends}


def read_lines(text: str) -> tuple[tuple[str | None, str], ...]:
    r"""Each line as the number before or after it, and its words; no numbers unless every line has its own.

    >>> read_lines("1 = not at all\n2 = very")
    (('1', 'not at all'), ('2', 'very'))
    >>> read_lines("5 minutes\n30 minutes")
    ((None, '5 minutes'), (None, '30 minutes'))
    """
    lines = [" ".join(line.split(" ")).strip() for line in text.splitlines() if line.strip()]
    for found in (_numbered(lines), _counted(lines)):
        if found and len({number for number, _ in found}) == len(found):
            return tuple(found)
    return tuple((None, line) for line in lines)


def _numbered(lines: Sequence[str]) -> list[tuple[str | None, str]]:
    found: list[tuple[str | None, str]] = []
    for line in lines:
        if match := _FIRST.fullmatch(line):
            found.append((match[1] or match[2], match[3]))
        elif match := _LAST.fullmatch(line):
            found.append((match[2], match[1]))
        else:
            return []
    return found


def _counted(lines: Sequence[str]) -> list[tuple[str | None, str]]:
    """Numbers with only a space after them: they count, as in “1 never”, “2 rarely”."""
    matches = [_SPACED.fullmatch(line) for line in lines]
    found = [(match[1], match[2]) for match in matches if match]
    starts = int(found[0][0]) if found else 0
    is_count = len(found) == len(lines) and [int(n) for n, _ in found] == list(range(starts, starts + len(found)))
    return [*found] if is_count and starts in (0, 1) else []


def points_text(points: Mapping[str, str]) -> str:
    r"""The points as lines: their words alone if they are numbered from 1 and all have words.

    >>> points_text({"1": "low", "2": "high"}), points_text({"0": "low", "1": "", "2": "high"})
    ('low\nhigh', '0 = low\n1\n2 = high')
    """
    words = {value: " ".join(text.split()) for value, text in points.items()}
    plain = "\n".join(words.values())
    is_plain = list(words) == [str(place) for place in range(1, len(words) + 1)] and all(words.values())
    if is_plain and all(number is None for number, _ in read_lines(plain)):
        return plain
    return "\n".join(f"{value} = {text}" if text else value for value, text in words.items())


def read_points(text: str, now: Mapping[str, str]) -> Points | Pasted:
    """The points that the lines describe; `now` are those so far, which keep their values."""
    if text.splitlines() == points_text(now).splitlines():
        return dict(now)
    lines = read_lines(text)
    if len(lines) != len(now):
        return Pasted(lines, now) if lines else {}
    return {number or value: words for (number, words), value in zip(lines, now, strict=True)}
