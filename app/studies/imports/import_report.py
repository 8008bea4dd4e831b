"""A summary of a spreadsheet's texts by source, shown before anything is stored."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.base.files.encoding import n_odd, repaired
from app.studies.imports.source_kinds import recognized_kind

if TYPE_CHECKING:
    from app.base.files.table import Table


# Texts that give away who wrote them: the same check for texts from a spreadsheet and texts from a model.

_REVEALS = re.compile(
    r"\b(as an? (ai|artificial intelligence|language model|chatbot|assistant)\b|i'?m an? (ai|bot|chatbot)\b"
    r"|language model|openai|chatgpt|\bgpt-?\d|anthropic|as a (doctor|physician|nurse|therapist)\b)",
    re.IGNORECASE,
)
_AROUND = 40
# Shorter names of models, such as "AI", are words of many texts, and so are these.
_MIN_NAME = 4
_WORDS = frozenset({"bots", "chat", "chatbot", "generated", "machine", "model", "system", "transformer"})


def names_of_models(names: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern of the names that are recognized as those of models; None if there are none."""
    own = [name for name in names if len(name) >= _MIN_NAME and name.casefold() not in _WORDS]
    words = [re.escape(name) for name in own if recognized_kind(name) == "model"]
    return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE) if words else None


def revealing_excerpt(text: str, names: re.Pattern[str] | None = None) -> str | None:
    """The words that give the source away, or one of these names, with what is around it; None if there is nothing.

    >>> revealing_excerpt("I am sorry. As an AI, I have no feelings.")
    'I am sorry. As an AI, I have no feelings.'
    """
    match = _REVEALS.search(text) or (names.search(text) if names else None)
    return None if match is None else excerpt(text, match.start())


def excerpt(text: str, place: int) -> str:
    """The text around a place."""
    begin = max(0, place - _AROUND)
    return f"{'…' if begin else ''}{text[begin : place + _AROUND]}{'…' if place + _AROUND < len(text) else ''}"


_N_EXAMPLES = 6


@dataclass(frozen=True, slots=True)
class TextGroup:
    """The situations, or the responses of one source. `n_odd` counts texts with characters that look garbled."""

    name: str
    n_texts: int
    n_empty: int
    n_duplicates: int
    median_words: int
    max_words: int
    n_odd: int
    n_odd_after: int
    n_revealing: int


@dataclass(frozen=True, slots=True)
class Example:
    """An excerpt of a text, and what it becomes if it is repaired."""

    row: int
    group: str
    before: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """All groups, with examples of repairs and of texts that reveal their author."""

    groups: tuple[TextGroup, ...]
    repairs: tuple[Example, ...]
    revealing: tuple[Example, ...]


def import_report(table: Table, columns: Mapping[str, str]) -> ImportReport:
    """Return the report on the given text columns; `columns` maps the name of each group to its column."""
    groups, repairs, revealing = [], [], []
    for group, column in columns.items():
        cells = [_Cell.of(str(cell), is_utf8=table.is_utf8) for cell in table.column(column)]
        groups.append(_group(group, cells))
        numbered = list(zip(table.rows.tolist(), cells, strict=True))
        changed = [(row, cell) for row, cell in numbered if cell.before != cell.after]
        repairs += [_difference(row, group, cell) for row, cell in changed[:_N_EXAMPLES]]
        found = [(row, cell.reveals) for row, cell in numbered if cell.reveals is not None]
        revealing += [Example(row, group, words) for row, words in found[:_N_EXAMPLES]]
    return ImportReport(tuple(groups), tuple(repairs), tuple(revealing))


@dataclass(frozen=True, slots=True)
class _Cell:
    """A text as it is in the sheet, and repaired; whether each looks garbled; the words that reveal its author."""

    before: str
    after: str
    was_odd: bool
    is_odd: bool
    reveals: str | None

    @classmethod
    def of(cls, before: str, *, is_utf8: bool) -> _Cell:
        after = repaired(before, is_utf8=is_utf8)
        return cls(before, after, n_odd(before) > 0, n_odd(after) > 0, revealing_excerpt(after))


def repaired_table(table: Table, columns: Sequence[str]) -> Table:
    """Return the table with these columns repaired."""
    for name in columns:
        table.columns[name] = table.mapped(name, lambda cell: repaired(cell, is_utf8=table.is_utf8))
    return table


def _group(name: str, cells: Sequence[_Cell]) -> TextGroup:
    texts = [text for cell in cells if (text := cell.before.strip())]
    words = sorted(len(text.split()) for text in texts)
    return TextGroup(
        name,
        len(texts),
        len(cells) - len(texts),
        sum(n - 1 for n in Counter(texts).values()),
        words[len(words) // 2] if words else 0,
        words[-1] if words else 0,
        sum(cell.was_odd for cell in cells),
        sum(cell.is_odd for cell in cells),
        sum(cell.reveals is not None for cell in cells),
    )


def _difference(row: int, group: str, cell: _Cell) -> Example:
    both = zip(cell.before, cell.after, strict=False)
    place = next((n for n, (old, new) in enumerate(both) if old != new), 0)
    return Example(row, group, excerpt(cell.before, place), excerpt(cell.after, place))
