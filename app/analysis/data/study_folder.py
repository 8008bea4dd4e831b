"""A whole study in memory, with texts: the content of a study folder, which the store loads and exports.

items      item, text, turns, profile, image, image_alt, content_note, retired_because, then one column per attribute
responses  response, item, source, text, turns, then attributes
raters     rater, kind, pool, is_simulated, is_imported, then attributes
ratings    frames.RATING_COLUMNS, in any order of rows
checks     frames.CHECK_COLUMNS; None if there are none
arrivals   frames.ARRIVAL_COLUMNS; None if that is not known
images     the images of items by their file names

Missing text is None, `turns` is JSON in the form of `protocol.dialogue`, attribute columns are sorted by name and have
at least one value.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from app.analysis.data.frames import Frames, canonical, items_and_sample, passage_frame, word_frame
from app.base.files.images import StoredImage
from app.base.problem import Problem
from app.protocol.dialogue import n_words, turns_from_json, whole_text
from app.protocol.study import Protocol

ITEM_COLUMNS = ("item", "text", "turns", "profile", "image", "image_alt", "content_note", "retired_because")
RESPONSE_COLUMNS = ("response", "item", "source", "text", "turns")
# Raters simulated by the program, and raters whose ratings were collected elsewhere.
RATER_MARKS = ("is_simulated", "is_imported")
RATER_COLUMNS = ("rater", "kind", "pool", *RATER_MARKS)


@dataclass(frozen=True, slots=True)
class StudyFolder:
    """One study; see the module docstring for the columns. `notes` are warnings about corrected or ignored input."""

    protocol: Protocol
    yaml: str
    items: pd.DataFrame
    responses: pd.DataFrame
    raters: pd.DataFrame
    ratings: pd.DataFrame
    notes: tuple[Problem, ...] = ()
    checks: pd.DataFrame | None = None
    arrivals: pd.DataFrame | None = None
    images: Mapping[str, StoredImage] = field(default_factory=dict)


def frames_of(folder: StudyFolder) -> Frames:
    """Return the frames for the analysis: texts of the responses only, and ratings in canonical order."""
    texts = zip(folder.responses["text"], folder.responses["turns"], strict=True)
    items, sample = items_and_sample(folder.items.drop(columns=[*ITEM_COLUMNS[1:]]))
    return Frames(
        items=items,
        sample=sample,
        responses=folder.responses.drop(columns=["text", "turns"]).assign(
            text=pd.Series([whole_text(text, turns) for text, turns in texts], dtype=object)
        ),
        raters=folder.raters,
        ratings=canonical(folder.ratings),
        checks=folder.checks,
        arrivals=folder.arrivals,
        passages=_passages(folder) if folder.protocol.has_highlights else None,
        words=_words(folder),
    )


def _words(folder: StudyFolder) -> pd.DataFrame:
    """Return the number of words of each text."""
    return word_frame((item, response, n_words(text, turns)) for item, response, text, turns in _texts(folder))


def _passages(folder: StudyFolder) -> pd.DataFrame:
    """Return the lengths of all texts, by turn if there are turns."""
    return passage_frame(
        (item, response, turn, len(said))
        for item, response, text, turns in _texts(folder)
        for turn, said in _said(text, turns)
    )


def _texts(folder: StudyFolder) -> list[tuple[str, str | None, str | None, str | None]]:
    """Return item, response, text and turns of all texts."""
    items, responses = folder.items, folder.responses
    texts = [(item, None, *rest) for item, *rest in zip(items["item"], items["text"], items["turns"], strict=True)]
    return [*texts, *zip(responses["item"], responses["response"], responses["text"], responses["turns"], strict=True)]


def _said(text: str | None, turns: str | None) -> list[tuple[int | None, str]]:
    if turns is not None:
        return [(number, turn["text"]) for number, turn in enumerate(turns_from_json(turns), start=1)]
    return [] if text is None else [(None, text)]


def is_same(one: StudyFolder, other: StudyFolder) -> bool:
    """Return whether two folders contain the same study: protocol (byte by byte), texts, raters and all answers.

    Of images, the name and the size: encoded once more, the pixels of a JPEG differ a little.
    """
    return (
        one.yaml == other.yaml
        and one.items.equals(other.items)
        and one.responses.equals(other.responses)
        and _sizes(one) == _sizes(other)
        and _by_key(one.raters).equals(_by_key(other.raters))
        and canonical(one.ratings).equals(canonical(other.ratings))
    )


def _sizes(folder: StudyFolder) -> dict[str, tuple[int, int]]:
    return {name: (image.width, image.height) for name, image in folder.images.items()}


def _by_key(raters: pd.DataFrame) -> pd.DataFrame:
    return raters.sort_values("rater", ignore_index=True)
