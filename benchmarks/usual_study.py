"""A study folder of the usual size: 36 raters, 11 questions, 30 items and three sources; 11,880 ratings."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

SLUG, N_RATERS, N_QUESTIONS, N_ITEMS, N_RATED = "usual", 36, 11, 30, 10
SOURCES = {"person": ("human", 0.0), "model_a": ("model", 0.3), "model_b": ("model", 0.0)}
SCALE = {n: f"{n}" for n in range(1, 8)}
OPENINGS = ("I am sorry.", "That sounds hard.", "You are not alone.", "Have you slept?")


def write(folder: Path) -> None:
    """Write it; each rater rates all responses to ten items."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = [f"q{n}" for n in range(1, N_QUESTIONS + 1)]
    asked = {"target": "response", "type": "rating", "scale": SCALE}
    study = {
        "attune": 1,
        "slug": SLUG,
        "title": "A study of the usual size",
        "sources": {name: {"kind": kind} for name, (kind, _) in SOURCES.items()},
        "questions": [
            {**asked, "key": key, "label": f"Quality {key[1:]}", "text": f"Quality {key[1:]}?"} for key in keys
        ],
        "analysis": {
            "reference": "person",
            "primary": ["total", "q5"],
            "composites": {"total": {"questions": keys[:4]}},
        },
    }
    (folder / "study.yaml").write_text(json.dumps(study))
    draw, items = np.random.default_rng(1), range(N_ITEMS)
    _rows(folder / "items.csv", [{"item": f"i{i}", "text": f"I had a hard day, number {i}."} for i in items])
    said = [" ".join([*OPENINGS] * int(draw.integers(2, 9))) for _ in range(N_ITEMS * len(SOURCES))]
    responses = [(i, source) for i in items for source in SOURCES]
    _rows(
        folder / "responses.csv",
        [{"item": f"i{i}", "source": one, "text": text} for (i, one), text in zip(responses, said, strict=True)],
    )
    _rows(folder / "raters.csv", [{"rater": f"r{r}", "kind": "person"} for r in range(N_RATERS)])
    _rows(folder / "ratings.csv", _ratings(keys, draw))


def _ratings(keys: list[str], draw: np.random.Generator) -> list[dict[str, Any]]:
    of_items, of_raters = draw.normal(0, 0.6, N_ITEMS), draw.normal(0, 0.6, N_RATERS)
    rows = []
    for r in range(N_RATERS):
        for i in (r * N_RATED + np.arange(N_RATED)) % N_ITEMS:
            for source, (_, effect) in SOURCES.items():
                latent = 4 + effect + of_items[i] + of_raters[r] + draw.normal(0, 0.5)
                values = np.clip(np.rint(latent + draw.normal(0, 0.8, len(keys))), 1, 7)
                rated = {"rater": f"r{r}", "item": f"i{i}", "response": f"i{i}:{source}"}
                rows += [
                    {**rated, "question": key, "value": int(value)} for key, value in zip(keys, values, strict=True)
                ]
    return rows


def _rows(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
