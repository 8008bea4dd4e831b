"""A whole study in memory, texts included: what a study folder holds, and what the store loads and exports.

items      item, text, turns, profile, content_note, then one column per attribute
responses  response, item, source, text, turns, then attributes
raters     rater, kind, pool, is_simulated, is_imported, then attributes
ratings    frames.RATING_COLUMNS, in any order of rows
checks     frames.CHECK_COLUMNS; None where there are none

Missing text is None, `turns` is JSON in the one form of `design.turns`, attribute columns stand in the order of their
names and hold at least one value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from app.analysis.data.frames import Frames, canonical, passage_frame
from app.design.dialogue import turns_from_json, whole_text

if TYPE_CHECKING:
    from app.design.problem import Problem
    from app.design.protocol.study import Protocol

ITEM_COLUMNS = ("item", "text", "turns", "profile", "content_note")
RESPONSE_COLUMNS = ("response", "item", "source", "text", "turns")
# Raters whom the program played, and raters whose ratings were collected elsewhere.
RATER_MARKS = ("is_simulated", "is_imported")
RATER_COLUMNS = ("rater", "kind", "pool", *RATER_MARKS)


@dataclass(frozen=True, slots=True)
class StudyFolder:
    """One study; see the module's page for the columns. `notes` are warnings: what was mended or ignored."""

    protocol: Protocol
    yaml: str
    items: pd.DataFrame
    responses: pd.DataFrame
    raters: pd.DataFrame
    ratings: pd.DataFrame
    notes: tuple[Problem, ...] = ()
    checks: pd.DataFrame | None = None


def frames_of(folder: StudyFolder) -> Frames:
    """What the analysis takes: of the texts those of the responses only, ratings in canonical order."""
    texts = zip(folder.responses["text"], folder.responses["turns"], strict=True)
    return Frames(
        items=folder.items.drop(columns=[*ITEM_COLUMNS[1:]]),
        responses=folder.responses.drop(columns=["text", "turns"]).assign(
            text=pd.Series([whole_text(text, turns) for text, turns in texts], dtype=object)
        ),
        raters=folder.raters,
        ratings=canonical(folder.ratings),
        checks=folder.checks,
        passages=_passages(folder) if folder.protocol.has_highlights else None,
    )


def _passages(folder: StudyFolder) -> pd.DataFrame:
    """The lengths of all texts, turn by turn where there are turns."""
    items, responses = folder.items, folder.responses
    texts = [(item, None, *rest) for item, *rest in zip(items["item"], items["text"], items["turns"], strict=True)]
    texts += [*zip(responses["item"], responses["response"], responses["text"], responses["turns"], strict=True)]
    return passage_frame(
        (item, response, turn, len(said)) for item, response, text, turns in texts for turn, said in _said(text, turns)
    )


def _said(text: str | None, turns: str | None) -> list[tuple[int | None, str]]:
    if turns is not None:
        return [(number, turn["text"]) for number, turn in enumerate(turns_from_json(turns), start=1)]
    return [] if text is None else [(None, text)]


def is_same(one: StudyFolder, other: StudyFolder) -> bool:
    """Whether two folders say the same study: protocol to the byte, texts, raters and every answer."""
    return (
        one.yaml == other.yaml
        and one.items.equals(other.items)
        and one.responses.equals(other.responses)
        and _by_key(one.raters).equals(_by_key(other.raters))
        and canonical(one.ratings).equals(canonical(other.ratings))
    )


def _by_key(raters: pd.DataFrame) -> pd.DataFrame:
    return raters.sort_values("rater", ignore_index=True)
