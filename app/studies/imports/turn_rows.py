"""Spreadsheets with one row per turn of a conversation: joined into one row per conversation."""

import json
import re
from collections.abc import Sequence

import numpy as np

from app.base.files.table import Column, Table
from app.base.problems import Problems
from app.base.words import counted, number

_CONVERSATION = re.compile(
    r"^(conversation|dialog(ue)?|session|thread|chat|gespräch)([\s_-]*(id|no|nr|key)\.?)?$", re.IGNORECASE
)
_SPEAKER = re.compile(r"^(speaker|role|sender|sprecher(in)?)$", re.IGNORECASE)
_WORDS = re.compile(r"^(text|utterance|content|message|words|turn[\s_-]*text|äußerung)$", re.IGNORECASE)
_TURN = re.compile(r"^(turn|position|turn[\s_-]*(id|no|nr|number|index)\.?)$", re.IGNORECASE)
_SOURCE = re.compile(r"^(source|model|author|system|written by|group)$", re.IGNORECASE)
_OPENING = "situation"
# So many different speakers at most: more are not the names of those who speak.
_MOST_SPEAKERS = 6


def with_joined_turns(table: Table, problems: Problems) -> Table:
    """The table with one row per conversation and source, if it has one row per turn; with a note.

    Its columns name the conversation, the speaker and the words; a column with the number of the turn gives their
    order. Other columns keep their first value. Without a column of situations, the first turn opens the item.
    """
    names = {part: _column(table, like) for part, like in _PARTS.items()}
    conversation, speaker, words = names["conversation"], names["speaker"], names["words"]
    if conversation is None or speaker is None or words is None or not _is_in_turns(table, conversation, speaker):
        return table
    source = names["source"]
    keys = list(zip(table.column(conversation), table.column(source) if source else [""] * len(table), strict=True))
    groups: dict[tuple[str, str], list[int]] = {}
    for place in _in_order(table, names["turn"]):
        groups.setdefault((str(keys[place][0]), str(keys[place][1])), []).append(place)
    said = [_turns(table, speaker, words, places) for places in groups.values()]
    first = np.array([min(places) for places in groups.values()])
    kept = table.only(np.isin(np.arange(len(table)), first))
    order = np.argsort(np.argsort(first))
    joined = [said[place] for place in np.argsort(first)]
    columns = {name: cells for name, cells in kept.columns.items() if name not in {speaker, words, names["turn"]}}
    if not any(name.casefold() == _OPENING for name in columns):
        columns[_OPENING] = _cells([turns[0]["text"] if turns else "" for turns in joined])
    response = "response" if source else "Conversation response"
    columns[response] = _cells([json.dumps(turns, ensure_ascii=False) for turns in joined])
    found = f"one row per turn ({counted(len(table), 'row')})"
    allowed = f"one row per conversation; the rows were joined into {counted(len(order), 'conversation')}"
    problems.note(table.file, None, None, found, allowed)
    return Table(table.file, kept.rows, columns, is_utf8=table.is_utf8)


_PARTS = {"conversation": _CONVERSATION, "speaker": _SPEAKER, "words": _WORDS, "turn": _TURN, "source": _SOURCE}


def _column(table: Table, like: re.Pattern[str]) -> str | None:
    return next((name for name in table.columns if like.match(name.strip())), None)


def _is_in_turns(table: Table, conversation: str, speaker: str) -> bool:
    n_conversations = len({*table.column(conversation)})
    return 0 < n_conversations < len(table) and 1 < len({*table.column(speaker)} - {""}) <= _MOST_SPEAKERS


def _in_order(table: Table, turn: str | None) -> Sequence[int]:
    """The rows in the order of their turns, where every turn has a number."""
    numbers = [number(str(cell)) for cell in table.column(turn)] if turn else []
    places = range(len(table))
    if not numbers or any(one is None for one in numbers):
        return places
    return sorted(places, key=lambda place: float(numbers[place] or 0))


def _turns(table: Table, speaker: str, words: str, places: Sequence[int]) -> list[dict[str, str]]:
    speakers, texts = table.column(speaker), table.column(words)
    return [
        {"speaker": str(speakers[place]).strip(), "text": str(texts[place]).strip()}
        for place in places
        if str(texts[place]).strip()
    ]


def _cells(texts: Sequence[str]) -> Column:
    cells = np.empty(len(texts), dtype=object)
    cells[:] = texts
    return cells
