"""Ayers et al. 2023 (JAMA Intern Med 183:589) as a study folder, from the CSV file that the authors published.

195 questions, each with the physician's reply and the chatbot's, each pair rated in three evaluator slots. Slots are
not people, so each item and slot gets a rater of its own, with one trial. The bytes are Windows-1252 with holes.
"""

import csv
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from app.base.files.encoding import open_text, repaired
from app.results.reproduction.pack import Pack, Part, Published, Row, write_study
from app.stats.result import Procedure

YAML = """\
attune: 1
slug: ayers
title: Physician and chatbot replies to patient questions
instructions: |
  Read the question and both replies, then answer the questions below them.
sources:
  physician: {kind: human}
  chatgpt: {kind: model, label: ChatGPT, family: GPT, version: "3.5"}
questions:
  - {key: preference, target: pair, type: choice, text: Which response is better?, tie: false, neither: false}
  - {key: quality, target: response, type: rating, text: The quality of information provided is,
     scale: {1: very poor, 2: poor, 3: acceptable, 4: good, 5: very good}, level: ordinal}
  - {key: empathy, target: response, type: rating, text: The empathy or bedside manner provided is,
     scale: {1: not empathetic, 2: slightly, 3: moderately, 4: empathetic, 5: very empathetic}, level: ordinal}
attributes: {length: {label: Length as published}}
design: {trials: pairs, raters_per_trial: 3, trials_per_rater: 20, blind: true}
raters: {identity: unknown}
analysis:
  reference: physician
  primary:
    - {question: preference, published: share_preferred_wilson_cc}
    - {question: quality, published: t_unpaired}
    - {question: empathy, published: t_unpaired}
  cut: {quality: 4, empathy: 4}
"""
SOURCES = {"physician": "Physician", "chatgpt": "ChatGPT"}
SLOTS = (1, 2, 3)


def raw_rows(file: Path) -> list[Row]:
    """The rows of JAMA.csv. Bytes that Windows-1252 leaves open are read as Latin-1 (here 0x8F and 0x9D)."""
    text, _ = open_text(file.read_bytes())
    return list(csv.DictReader(text))


def rater_rows(raw: list[Row]) -> list[Row]:
    """A rater for each item and slot."""
    return [
        {"rater": f"{row['postID']}-{slot}", "kind": "person", "pool": "expert", "slot": str(slot)}
        for row in raw
        for slot in SLOTS
    ]


def rating_rows(raw: list[Row]) -> list[Row]:
    """Per item and slot: the preference, and quality and empathy of both replies."""
    return [answer for row in raw for slot in SLOTS for answer in _answers(row, slot)]


def _answers(row: Row, slot: int) -> list[Row]:
    item = row["postID"]
    rater = {"rater": f"{item}-{slot}", "item": item}
    preferred = row[f"Eval {slot} Preference"].lower()
    choice = {**rater, "response": "", "question": "preference", "value": preferred}
    return [choice] + [
        {
            **rater,
            "response": f"{item}:{source}",
            "question": dimension,
            "value": row[f"Eval {slot} {dimension.title()} ({name})"],
        }
        for dimension in ("quality", "empathy")
        for source, name in SOURCES.items()
    ]


def write_ayers(folder: Path, file: Path, text_of: Callable[[str], str] = str) -> Path:
    """The whole study: 195 items, 390 responses, 585 raters, 2,925 ratings. `text_of` makes each text from its cell."""
    raw = raw_rows(file)
    return write_study(
        folder,
        YAML,
        items=[{"item": row["postID"], "text": text_of(row["Question"])} for row in raw],
        responses=[
            {
                "item": row["postID"],
                "source": source,
                "text": text_of(row[f"{name} Response"]),
                "length": row[f"{name} Length"],
            }
            for row in raw
            for source, name in SOURCES.items()
        ],
        raters=rater_rows(raw),
        ratings=rating_rows(raw),
    )


def write_repaired_ayers(folder: Path, file: Path) -> Path:
    """The whole study, with garbled characters repaired as in the import of spreadsheets: `‰Ûª` is an apostrophe."""
    return write_ayers(folder, file, partial(repaired, is_utf8=False))


# Ayers et al. 2023: physicians' and a chatbot's replies to patients' questions on a public forum.

ABSTRACT = "abstract, Results"
NAMES = {"chatgpt": "chatbot", "physician": "physicians"}
AGAINST = {"source": "chatgpt", "reference": "physician"}
# As printed: percentages with one decimal, t and ratios with one decimal.
SHARE, ONE_DECIMAL = 0.0005, 0.05


def _preferred(words: str, value: float, part: Part) -> Published:
    # The limits are those of a score interval with continuity correction over the 585 evaluations.
    procedure: Procedure | None = None if part == "estimate" else "wilson_cc"
    return Published(words, value, SHARE, ABSTRACT, "share_preferred", "preference", AGAINST, procedure, part=part)


def _good(question: str, source: str, value: float) -> Published:
    words = f"Share rated 4 or 5 on {question}, {NAMES[source]}"
    scope = {"source": source, "cut": 4.0}
    return Published(words, value, SHARE, ABSTRACT, "share_at_least", question, scope, unit="item_mean")


def _published(_data: Path) -> Sequence[Published]:
    return (
        _preferred("Chatbot preferred", 0.786, "estimate"),
        _preferred("Chatbot preferred, lower limit", 0.750, "ci_low"),
        _preferred("Chatbot preferred, upper limit", 0.818, "ci_high"),
        Published("t of quality", 13.3, ONE_DECIMAL, ABSTRACT, "t_unpaired", "quality", AGAINST),
        Published("t of empathy", 18.9, ONE_DECIMAL, ABSTRACT, "t_unpaired", "empathy", AGAINST),
        _good("quality", "chatgpt", 0.785),
        _good("quality", "physician", 0.221),
        _good("empathy", "chatgpt", 0.451),
        _good("empathy", "physician", 0.046),
        *(
            Published(
                f"Ratio of these shares, {question}",
                value,
                ONE_DECIMAL,
                ABSTRACT,
                "share_at_least_ratio",
                question,
                {**AGAINST, "cut": 4.0},
            )
            for question, value in (("quality", 3.6), ("empathy", 9.8))
        ),
    )


AYERS = Pack(
    "ayers2023",
    "Ayers et al. (2023), JAMA Internal Medicine 183(6):589-596, doi:10.1001/jamainternmed.2023.1838",
    "JAMA.csv, the data set that the authors published with the article",
    write_repaired_ayers,
    _published,
)
