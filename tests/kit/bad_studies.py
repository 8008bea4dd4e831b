"""Study folders with every kind of bad input that results must bear."""

import csv
import io
import json
from typing import Any

import numpy as np

LETTERS = "abcdefghij" * 8
ARABIC = "كم كان الرد متعاطفا برأيك"
EXPECTED: dict[str, tuple[str, ...]] = {
    "one rater": ("one side has only one item or one rater", "1 rater"),
    "one item": ("one side has only one item or one rater", "1 item"),
    "no variation": ("the values do not vary",),
    "a primary question that nobody answered": ("cannot be compared with Source 0 on Question 0 yet",),
    "everything excluded": ("xcluded from ", "252"),
    "26 sources": tuple(f"Source {n}" for n in range(26)),
    "40 questions": tuple(f"Question {n}" for n in range(40)),
    "labels of 80 letters": (f"Source1{LETTERS}"[:80],),
    "right-to-left texts": (ARABIC,),
}


def _table(rows: list[dict[str, Any]]) -> bytes:
    out = io.StringIO()
    table = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)))
    table.writeheader()
    table.writerows(rows)
    return out.getvalue().encode()


def study_files(case: str) -> dict[str, bytes]:
    """The folder of a case, by the names of its files."""
    n_raters, n_items = (1 if case == "one rater" else 6), (1 if case == "one item" else 6)
    n_sources, n_questions = (26 if case == "26 sources" else 3), (40 if case == "40 questions" else 2)
    words = {"labels of 80 letters": LETTERS, "right-to-left texts": ARABIC}.get(case, "")

    def label(name: str, number: int) -> str:
        plain = f"{name} {number}"
        return (
            f"{name}{number}{words}"[:80] if case == "labels of 80 letters" else f"{words} {plain}" if words else plain
        )

    sources = {f"s{n}": {"kind": "model" if n else "human", "label": label("Source", n)} for n in range(n_sources)}
    scale = {n: f"{words[:70]}{n}" if words else f"point {n}" for n in range(1, 6)}
    asked: dict[str, Any] = {"target": "response", "type": "rating", "scale": scale}
    questions = [
        {**asked, "key": f"q{n}", "label": label("Question", n), "text": f"{words or 'How'} {n}?"}
        for n in range(n_questions)
    ]
    choice = {"key": "better", "target": "pair", "type": "choice", "tie": True, "label": label("Choice", 0)}
    choice["text"] = f"{words or 'Which'}?"
    study = {
        "attune": 1,
        "slug": "bad",
        "title": words or "A study",
        "sources": sources,
        "questions": [choice, *questions],
        "analysis": {"reference": "s0", "primary": ["better", "q0"], "margin": {"q0": 0.5}},
    }
    draw = np.random.default_rng(1)
    rows: list[dict[str, Any]] = []
    for r in range(n_raters):
        for i in range(n_items):
            more = {"rater": f"r{r}", "item": f"i{i}", "exclude": "bot" if case == "everything excluded" else ""}
            for source in sources:
                for one in questions:
                    if case == "a primary question that nobody answered" and one["key"] == "q0":
                        continue
                    value = 3 if case == "no variation" else int(draw.integers(1, 6))
                    rows.append({**more, "response": f"i{i}:{source}", "question": one["key"], "value": value})
            left, right = (f"i{i}:{source}" for source in draw.permutation(list(sources))[:2])
            sides = {"left_response": left, "right_response": right}
            chosen = "tie" if case == "no variation" else draw.choice([left, right, "tie"])
            rows.append({**more, "question": "better", "value": str(chosen), **sides})
    said = words or "I had a hard day."
    return {
        "study.yaml": json.dumps(study, ensure_ascii=False).encode(),
        "items.csv": _table([{"item": f"i{i}", "text": f"{said} {i}"} for i in range(n_items)]),
        "responses.csv": _table(
            [
                {"item": f"i{i}", "source": one, "text": f"{said} " * (1 + (i + n) % 4)}
                for i in range(n_items)
                for n, one in enumerate(sources)
            ]
        ),
        "raters.csv": _table([{"rater": f"r{r}", "kind": "person"} for r in range(n_raters)]),
        "ratings.csv": _table(rows),
    }
