"""PandaLM test set v1 as a study folder, from testset-v1.json in its repository.

999 items, each with the responses of two of five models, each pair judged by three raters: the first is better, the
second is, or tie (coded 1, 2, 0). Six responses are the JSON value `true`, 54 are empty.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.results.reproduction.pack import Pack, Published, Row, write_study

YAML = """\
attune: 1
slug: pandalm
title: Which of two instruction-tuned models followed the instruction better?
sources:
  bloom-7b: {kind: model}
  cerebras-gpt-6.7B: {kind: model}
  llama-7b: {kind: model}
  opt-7b: {kind: model}
  pythia-6.9b: {kind: model}
questions:
  - {key: preference, target: pair, type: choice, text: Which response is better?, tie: true}
design: {trials: pairs, raters_per_trial: 3}
"""
RATERS = (1, 2, 3)


def write_pandalm(folder: Path, file: Path) -> Path:
    """The whole study: 999 items, 1,998 responses, 3 raters, 2,997 choices."""
    entries = json.loads(file.read_text(encoding="utf-8"))
    return write_study(
        folder,
        YAML,
        items=[_item(entry) for entry in entries],
        responses=[
            {"item": str(entry["idx"]), "source": source, "text": _text(entry[f"response{number}"])}
            for entry in entries
            for number, source in enumerate(entry["cmp_key"].split("_"), start=1)
        ],
        raters=[{"rater": f"annotator{rater}", "kind": "person", "pool": "expert"} for rater in RATERS],
        ratings=[_choice(entry, rater) for entry in entries for rater in RATERS],
    )


def _text(value: str | bool) -> str:  # noqa: FBT001 - the file has both
    return value if isinstance(value, str) else str(value)


def _item(entry: dict[str, Any]) -> Row:
    text = "\n\n".join(part for part in (entry["instruction"], entry["input"]) if part.strip())
    return {"item": str(entry["idx"]), "text": text, "application": entry["motivation_app"]}


def _choice(entry: dict[str, Any], rater: int) -> Row:
    outcomes = ["tie", *entry["cmp_key"].split("_")]
    return {
        "rater": f"annotator{rater}",
        "item": str(entry["idx"]),
        "response": "",
        "question": "preference",
        "value": outcomes[entry[f"annotator{rater}"]],
    }


# PandaLM: three annotators compare pairs of instruction-tuned models.

KAPPAS = {(1, 2): 0.85, (1, 3): 0.88, (2, 3): 0.86}
TOLERANCE = 0.005


def _published(_data: Path) -> Sequence[Published]:
    return [
        Published(
            f"Cohen's kappa, annotators {one} and {other}",
            value,
            TOLERANCE,
            "README of the repository, test data",
            "cohen_kappa",
            "preference",
            {"raters": [f"annotator{one}", f"annotator{other}"]},
        )
        for (one, other), value in KAPPAS.items()
    ]


PANDALM = Pack(
    "pandalm",
    "Wang et al. (2024), PandaLM, ICLR 2024, arXiv:2306.05087",
    "testset-v1.json, in the folder data of the authors' repository WeOpenML/PandaLM",
    write_pandalm,
    _published,
)
