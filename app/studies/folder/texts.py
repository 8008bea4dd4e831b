"""items.csv and responses.csv: the texts that raters read and rate."""

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd

from app.analysis.data.study_folder import ITEM_COLUMNS, RESPONSE_COLUMNS
from app.base.files.cells import (
    Mask,
    attributes,
    faulty,
    has_columns,
    ids,
    one_of,
    only_where,
    text_or_none,
    unique_ids,
)
from app.base.files.encoding import unstorable
from app.base.files.images import MAX_ALT
from app.base.files.table import Column, Table, places
from app.base.problems import Problems
from app.protocol.allocation.human_sample import BETWEEN_DRAWS, DRAW, DRAWS, IN_SAMPLE, PROBABILITY, STAGE
from app.protocol.dialogue import turns_from_json, turns_to_json
from app.protocol.study import Protocol

WORDS_OF_CHOICES = ("tie", "neither")
STAGE_NUMBER = re.compile("[1-9][0-9]{0,2}")
IMAGE_NAME = re.compile(r"\w[\w .()-]{0,99}")
IMAGE_NAME_WORDS = "the name of a file in the folder images: letters, digits, spaces, dots and hyphens"


def check_items(table: Table, problems: Problems) -> pd.DataFrame | None:
    """Return the items in the columns of `study_folder`; None if a required column is missing."""
    if not has_columns(table, ["item"], problems) or not _has_text(table, problems):
        return None
    keys = ids(table, "item", problems)
    unique_ids(table, "item", keys, problems)
    text, turns = _text_and_turns(table, problems)
    neither = _is_blank(text) & (turns == "")
    faulty(table, neither, "text", text, "a text or turns", problems)
    _check_sample(table, problems)
    image, image_alt = _image_and_words(table, problems)
    return pd.DataFrame(
        {
            "item": keys,
            "text": only_where(turns == "", text),
            "turns": text_or_none(turns),
            "profile": text_or_none(table.column("profile")),
            "image": text_or_none(image),
            "image_alt": text_or_none(image_alt),
            "content_note": text_or_none(table.column("content_note")),
            "retired_because": text_or_none(table.column("retired_because")),
            **_attributes(table),
        },
        dtype=object,
    )


def _attributes(table: Table) -> dict[str, Column]:
    """The other columns; a program for spreadsheets writes TRUE where Attune writes true."""
    found = attributes(table, ITEM_COLUMNS)
    if IN_SAMPLE in found:
        found[IN_SAMPLE] = text_or_none(_in_sample(table))
    return found


def _in_sample(table: Table) -> Column:
    """Whether people rate each item: true, false, or whatever else is there, in small letters."""
    found: Column = np.char.lower(np.char.strip(table.column(IN_SAMPLE).astype(str))).astype(object)
    return found


def _check_sample(table: Table, problems: Problems) -> None:
    """Check the columns that say how the items were drawn for people to rate."""
    chance = np.char.strip(table.column(PROBABILITY).astype(str))
    is_in = _in_sample(table)
    number = pd.to_numeric(pd.Series(chance), errors="coerce").to_numpy()
    wrong = (chance != "") & ~((number > 0) & (number <= 1))
    faulty(table, wrong, PROBABILITY, chance, "a probability above 0 and at most 1", problems)
    faulty(table, ~np.isin(is_in, ("true", "false", "")), IN_SAMPLE, table.column(IN_SAMPLE), "true or false", problems)
    stage = np.char.strip(table.column(STAGE).astype(str))
    is_count = np.array([bool(STAGE_NUMBER.fullmatch(one)) for one in stage], bool)
    faulty(table, (stage != "") & ~is_count, STAGE, stage, "the number of the stage, from 1 on", problems)
    draws = np.char.strip(table.column(DRAWS).astype(str))
    is_known = np.array([all(map(DRAW.fullmatch, one.split(BETWEEN_DRAWS))) for one in draws], bool)
    what = "draws as Attune writes them, such as 1:0.3|2:0.45:2 (number, probability, stage)"
    faulty(table, (draws != "") & ~is_known, DRAWS, draws, what, problems)
    missing = (is_in != "") & (chance == "")
    faulty(table, missing, PROBABILITY, chance, f"the item's probability, because it has {IN_SAMPLE}", problems)


def _image_and_words(table: Table, problems: Problems) -> tuple[Column, Column]:
    """Return the file names of images, and the words for raters who cannot see them; an image has both."""
    image, words = (np.array([cell.strip() for cell in table.column(name)], object) for name in ("image", "image_alt"))
    is_name = np.array([bool(IMAGE_NAME.fullmatch(name)) for name in image], bool)
    faulty(table, (image != "") & ~is_name, "image", image, IMAGE_NAME_WORDS, problems)
    faulty(table, (image != "") & (words == ""), "image_alt", words, "the image in words (alternative text)", problems)
    faulty(table, (image == "") & (words != ""), "image", image, "the file of the image that is described", problems)
    is_long = np.array([len(cell) > MAX_ALT for cell in words], bool)
    faulty(table, is_long, "image_alt", words, f"at most {MAX_ALT} characters", problems)
    return image, words


def check_responses(
    table: Table, items: pd.DataFrame | None, protocol: Protocol | None, problems: Problems
) -> pd.DataFrame | None:
    """Return the responses in the columns of `study_folder`; None if a required column is missing."""
    if not has_columns(table, ["item", "source"], problems) or not _has_text(table, problems):
        return None
    item, source, keys = (ids(table, name, problems) for name in ("item", "source", "response"))
    if items is not None:
        known_items = items["item"].drop_duplicates().to_numpy(dtype=object)
        allowed = one_of(known_items, "items.csv", "an item")
        faulty(table, places(known_items, item) < 0, "item", item, allowed, problems)
    if protocol is not None:
        known = list(protocol.sources)
        faulty(table, places(known, source) < 0, "source", source, one_of(known, "study.yaml", "a source"), problems)
    # An item that is there twice is one problem, not one more for each of its responses without an ID.
    is_counted = keys != ""
    keys = np.where(is_counted, keys, item + ":" + source)
    if items is not None:
        is_counted |= ~np.isin(item, items["item"][items["item"].duplicated()])
    unique_ids(table.only(is_counted), "response", keys[is_counted], problems)
    _check_words(table, keys, protocol, problems)
    text, turns = _text_and_turns(table, problems)
    _note_empty(table, text, turns, problems)
    return pd.DataFrame(
        {
            "response": keys,
            "item": item,
            "source": source,
            "text": only_where(turns == "", text),
            "turns": text_or_none(turns),
            **attributes(table, RESPONSE_COLUMNS),
        },
        dtype=object,
    )


def no_responses() -> pd.DataFrame:
    """Return an empty responses frame, for studies whose questions need no responses."""
    return pd.DataFrame(columns=[*RESPONSE_COLUMNS], dtype=object)


def _check_words(table: Table, keys: Column, protocol: Protocol | None, problems: Problems) -> None:
    if protocol is not None and protocol.choice_questions:
        word = np.isin(keys, WORDS_OF_CHOICES)
        faulty(table, word, "response", keys, "an ID other than tie and neither, which are answers", problems)


def _has_text(table: Table, problems: Problems) -> bool:
    return "turns" in table.columns or has_columns(table, ["text"], problems, instead="turns")


def _text_and_turns(table: Table, problems: Problems) -> tuple[Column, Column]:
    """Return the text and turns columns; turns are normalized to one JSON form."""
    text, turns = table.column("text"), table.column("turns").copy()
    for place in np.flatnonzero(turns != ""):
        row, cell = int(table.rows[place]), str(turns[place])
        turns[place] = "" if not cell.strip() else _one_form(table.file, row, cell, problems)
    both = (text != "") & (turns != "")
    faulty(table, both, "turns", turns, "nothing, because this row has a text; give either text or turns", problems)
    return text, turns


def _one_form(file: str, row: int, cell: str, problems: Problems) -> str:
    allowed = 'a JSON list of {"speaker": ..., "text": ...}'
    try:
        turns = turns_from_json(cell)
        form = turns_to_json(turns)
    except ValueError as error:
        problems.add(file, row, "turns", cell, f"{allowed} ({error})")
        return cell
    for text in _strings(turns):
        if (character := unstorable(text)) is not None:
            problems.add(file, row, "turns", character, "characters that a database can hold")
    return form


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from _strings(part)


def _note_empty(table: Table, text: Column, turns: Column, problems: Problems) -> None:
    empty = np.flatnonzero(_is_blank(text) & (turns == ""))
    if len(empty):
        more = f" ({len(empty)} responses have none)" if len(empty) > 1 else ""
        problems.note(table.file, int(table.rows[empty[0]]), "text", "", f"a text; raters see (empty){more}")


def _is_blank(text: Column) -> Mask:
    return np.fromiter((not cell.strip() for cell in text), dtype=bool, count=len(text))
