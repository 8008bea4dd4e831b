"""A summary of a spreadsheet's texts by source, shown before anything is stored."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from app.base.files.text_repair import n_odd, repaired
from app.studies.imports.text_uploads import get_upload

if TYPE_CHECKING:
    from app.base.files.table import Table


# Texts that give away who wrote them: the same check for texts from a spreadsheet and texts from a model.

_REVEALS = re.compile(
    r"\b(as an? (ai|artificial intelligence|language model|chatbot|assistant)\b|i'?m an? (ai|bot|chatbot)\b"
    r"|language model|openai|chatgpt|\bgpt-?\d|anthropic|as a (doctor|physician|nurse|therapist)\b)",
    re.IGNORECASE,
)
_AROUND = 40


def revealing_excerpt(text: str) -> str | None:
    """The words that give the source away, with what is around them; None if there are none.

    >>> revealing_excerpt("I am sorry. As an AI, I have no feelings.")
    'I am sorry. As an AI, I have no feelings.'
    """
    match = _REVEALS.search(text)
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
        cells = [str(cell) for cell in table.column(column)]
        mended = [repaired(cell, is_utf8=table.is_utf8) for cell in cells]
        groups.append(_group(group, cells, mended))
        numbered = list(zip(table.rows.tolist(), cells, mended, strict=True))
        repairs += [_difference(row, group, old, new) for row, old, new in numbered if old != new][:_N_EXAMPLES]
        found = [(row, words) for row, _, new in numbered if (words := revealing_excerpt(new)) is not None]
        revealing += [Example(row, group, words) for row, words in found][:_N_EXAMPLES]
    return ImportReport(tuple(groups), tuple(repairs), tuple(revealing))


def repaired_table(table: Table, columns: Sequence[str]) -> Table:
    """Return the table with these columns repaired."""
    for name in columns:
        table.columns[name] = table.mapped(name, lambda cell: repaired(cell, is_utf8=table.is_utf8))
    return table


def _group(name: str, cells: Sequence[str], mended: Sequence[str]) -> TextGroup:
    texts = [cell.strip() for cell in cells if cell.strip()]
    words = sorted(len(text.split()) for text in texts)
    return TextGroup(
        name,
        len(texts),
        len(cells) - len(texts),
        sum(n - 1 for n in Counter(texts).values()),
        words[len(words) // 2] if words else 0,
        words[-1] if words else 0,
        sum(n_odd(cell) > 0 for cell in cells),
        sum(n_odd(cell) > 0 for cell in mended),
        sum(revealing_excerpt(cell) is not None for cell in mended),
    )


def _difference(row: int, group: str, before: str, after: str) -> Example:
    place = next((n for n, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), 0)
    return Example(row, group, excerpt(before, place), excerpt(after, place))


# Imported texts that may reveal who wrote them, in a sentence for the lead before raters see them.


def revealing_notes(db: Connection, study_id: int) -> Iterator[str]:
    """One sentence with the first of these texts; none if the study's texts are not from a spreadsheet."""
    upload = get_upload(db, study_id)
    if upload is None or upload.used_at is None or not upload.report.get("revealing"):
        return
    n = sum(group["n_revealing"] for group in upload.report["groups"])
    first = upload.report["revealing"][0]
    texts = "A text" if n == 1 else f"{n:,} texts"
    reveals = "may reveal who wrote it" if n == 1 else "may reveal who wrote them"
    where = f"{'' if n == 1 else 'the first is '}row {first['row']}, {first['group']}"
    yield f"{texts} of {upload.file_name} {reveals} ({where}: {first['before']}). Retire the item, or use other texts."
