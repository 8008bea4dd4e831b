"""Any study that the format allows stays the same when it is written and read."""

import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from app.analysis.data.frames import rating_frame
from app.analysis.data.study_folder import StudyFolder, is_same
from app.base.files.read_image import read_image
from app.base.problems import Problems
from app.protocol.dialogue import turns_to_json
from app.protocol.yaml.study_yaml import read_protocol
from app.studies.folder.read import read_folder
from app.studies.folder.write import write_folder
from tests.kit.examples import examples
from tests.kit.images import a_png

YAML = """\
attune: 1
slug: any
title: Any
sources: {s: {kind: human}, t: {kind: model}}
questions:
  - {key: choice, type: choice, text: Which?, tie: true, neither: true, strength: true}
  - {key: scale, target: response, type: rating, text: How?, scale: {-5: a, 0.5: b, 3: c}, cannot_judge: true}
  - {key: codes, target: item, type: category, text: What?, codes: {a: A, b c: B, "no": C}, multiple: true}
  - {key: words, target: item, type: text, text: Why?}
conditions:
  told: {kind: instruction, levels: {ä b: Read., "1": Read aloud.}}
  blind to: {kind: profile, assign: within}
"""
CONDITIONS = st.none() | st.sampled_from(
    [f"told={told}; blind to={profile}" for told in ("ä b", "1") for profile in ("hidden", "shown")]
)
PROTOCOL = read_protocol(YAML, Problems())
# All characters that database text can hold; CSV keeps all line endings.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20).filter(str.strip)
CELLS = st.none() | TEXTS
IDS = TEXTS.map(str.strip).filter(lambda text: text not in ("tie", "neither"))
TURNS = st.lists(st.fixed_dictionaries({"speaker": TEXTS, "text": TEXTS}), min_size=1, max_size=3).map(turns_to_json)
IMAGES = {"a.png": read_image(a_png((2, 3))), "b c (1).png": read_image(a_png((3, 2)))}
TIMES = st.none() | st.datetimes(pd.Timestamp("1900-01-01"), pd.Timestamp("2100-01-01")).map(
    lambda t: pd.Timestamp(t, tz="UTC")
)


@st.composite
def studies(draw: st.DrawFn) -> StudyFolder:
    items = draw(st.lists(IDS, min_size=1, max_size=3, unique=True))
    raters = draw(st.lists(IDS, min_size=1, max_size=3, unique=True))
    replies = draw(st.lists(IDS, min_size=2 * len(items), max_size=2 * len(items), unique=True))
    texts = [(None, draw(TURNS)) if draw(st.booleans()) else (draw(TEXTS), None) for _ in items]
    attribute = [draw(CELLS) for _ in items]
    columns: dict[str, Any] = {
        "item": items,
        "text": [text for text, _ in texts],
        "turns": [turns for _, turns in texts],
        "profile": [draw(CELLS) for _ in items],
        "image": [draw(st.sampled_from([None, *IMAGES])) for _ in items],
        "content_note": [draw(CELLS) for _ in items],
        "retired_because": [draw(CELLS) for _ in items],
    }
    columns["image_alt"] = [name and draw(TEXTS).strip() for name in columns["image"]]
    columns |= {name: columns.pop(name) for name in ("content_note", "retired_because")}
    if any(attribute):
        columns["feels"] = attribute
    return StudyFolder(
        protocol=PROTOCOL,  # type: ignore[arg-type]  # it has no problem
        yaml=YAML,
        items=pd.DataFrame(columns, dtype=object),
        responses=pd.DataFrame(
            {
                "response": replies,
                "item": [item for item in items for _ in "st"],
                "source": ["s", "t"] * len(items),
                "text": [draw(TEXTS) for _ in replies],
                "turns": None,
            },
            dtype=object,
        ),
        raters=pd.DataFrame({"rater": raters, "kind": "person", "pool": draw(_pools(raters))}, dtype=object).assign(
            is_simulated=[draw(st.booleans()) for _ in raters], is_imported=[draw(st.booleans()) for _ in raters]
        ),
        ratings=draw(_ratings(items, raters, replies)),
        images={name: image for name, image in IMAGES.items() if name in columns["image"]},
    )


def _pools(raters: list[str]) -> st.SearchStrategy[list[str | None]]:
    return st.lists(CELLS.map(_strip), min_size=len(raters), max_size=len(raters))


def _strip(text: str | None) -> str | None:
    return text and text.strip()


@st.composite
def _ratings(draw: st.DrawFn, items: list[str], raters: list[str], replies: list[str]) -> pd.DataFrame:
    rows = []
    for rater in raters:
        for place, item in enumerate(items):
            pair = replies[2 * place : 2 * place + 2]
            beside = {
                "rater": rater,
                "item": item,
                "repeat": draw(st.integers(0, 3)),
                "comment": draw(CELLS),
                "exclude": draw(CELLS),
                "rated_at": draw(TIMES),
                "condition": draw(CONDITIONS),
                "active_ms": draw(st.none() | st.integers(0, 2**50)),
            }
            rows += [{**beside, **answer} for answer in draw(_answers(pair))]
    frame = pd.DataFrame(rows, dtype=object)
    return rating_frame({str(name): column for name, column in frame.items()}, len(rows))


@st.composite
def _answers(draw: st.DrawFn, pair: list[str]) -> list[dict[str, object]]:
    chosen = draw(st.sampled_from([*pair, "tie", "neither"]))
    sides = draw(st.sampled_from([{}, dict(zip(("left_response", "right_response"), pair, strict=True))]))
    choice: dict[str, object] = {"question": "choice", "outcome": chosen, **sides}
    if chosen in pair:
        choice |= {"outcome": "response", "chosen": chosen, "strength": draw(st.sampled_from([None, 1.0, 3.0]))}
    number = draw(st.sampled_from([-5.0, 0.5, 3.0, None]))
    scale = {"question": "scale", "response": pair[0], "number": number, "outcome": None if number else "cannot_judge"}
    codes = {"question": "codes", "codes": draw(st.sampled_from(["", "a", "a|b c", "no"]))}
    words = {"question": "words", "text": draw(st.just("") | TEXTS)}
    return draw(st.lists(st.sampled_from([choice, scale, codes, words]), unique_by=lambda row: str(row["question"])))


@given(studies())
@settings(max_examples=examples(20), deadline=None)
def test_any_study_round_trips(study: StudyFolder) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_folder(Path(folder) / "out", study)
        assert is_same(read_folder(Path(folder) / "out"), study)
