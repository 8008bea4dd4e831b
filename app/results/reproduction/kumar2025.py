"""Kumar et al. 2025 ("When LLMs are reliable for judging empathic communication") as one study folder.

50 conversations in each of four frameworks, 21 dimensions; three experts and three model judges rate all of them, and
116 named people of the crowd rate those of Lend an Ear. EPITOME has a post and one reply (questions about the
response); the others are whole conversations (questions about the item). The crowd's means of the other frameworks
are fractions, not points of the scale, and stay out. The conversations of Perceived Empathy are not published.
"""

import ast
import json
from collections.abc import Sequence
from pathlib import Path

from app.results.reproduction.pack import Pack, Published, Row, read_rows, write_study

FIVE = "{1: very low, 2: low, 3: medium, 4: high, 5: very high}"
THREE = "{0: none, 1: weak, 2: strong}"
SEVEN = "{1: not at all, 2: '', 3: '', 4: moderately, 5: '', 6: '', 7: completely}"
# framework: folder, column of the item's id, target, scale, dimensions (those with * are undesirable)
FRAMEWORKS = {
    "empathetic_dialogues": ("empatheticdialogues", "conv_id", "item", FIVE, "empathy relevance fluency"),
    "epitome": (
        "epitome",
        "sp_id",
        "response",
        THREE,
        "level_emotional_reactions level_interpretations level_explorations",
    ),
    "perceived_empathy": (
        "perceived_empathy",
        "id",
        "item",
        SEVEN,
        "m_understood m_validated m_affirmed m_seen m_accepted m_caredfor m_emotional m_practical m_motivation",
    ),
    "lend_an_ear": (
        "lend_an_ear",
        "conversation_id",
        "item",
        FIVE,
        (
            "validating_emotions encouraging_elaboration demonstrating_understanding"
            " advice_giving* self_oriented* dismissing_emotions*"
        ),
    ),
}
# What a key does not say: the item of a questionnaire, and the name of a dimension of EPITOME.
NAMES = {"m_caredfor": "cared for", "m_emotional": "emotional support", "m_practical": "practical support"}
EXPERTS = ("expert1", "expert2", "expert3")
JUDGES = ("gpt", "claude", "gemini")
HEAD = """\
attune: 1
slug: kumar
title: Empathic communication, judged by experts, crowd and models in four frameworks
sources:
  supporter: {kind: human}
questions:
"""


def write_kumar(folder: Path, data: Path) -> Path:
    """The whole study: 200 items, 50 responses, 122 raters, 21 dimensions, 7,462 ratings."""
    crowd = _crowd(data)
    return write_study(
        folder,
        HEAD + "".join(_question(framework, name) for framework, name in _dimensions()),
        items=_items(data),
        responses=[
            {"item": row["sp_id"], "response": row["rp_id"], "source": "supporter", "text": row["response_post"]}
            for row in _epitome(data)
        ],
        raters=[
            *({"rater": name, "kind": "person", "pool": "expert"} for name in EXPERTS),
            *({"rater": name, "kind": "model", "pool": "judge"} for name in JUDGES),
            *({"rater": name, "kind": "person", "pool": "crowd"} for name in sorted({row["user_id"] for row in crowd})),
        ],
        ratings=[*_expert_and_judge_ratings(data), *_crowd_ratings(crowd)],
    )


def _dimensions() -> list[tuple[str, str]]:
    return [(framework, name) for framework, row in FRAMEWORKS.items() for name in row[4].split()]


def _question(framework: str, name: str) -> str:
    _, _, target, scale, _ = FRAMEWORKS[framework]
    key = name.rstrip("*")
    words = NAMES.get(key) or key.removeprefix("level_").removeprefix("m_").replace("_", " ")
    undesirable = ", reversed: true" if name.endswith("*") else ""
    label = words[:1].upper() + words[1:]
    named = f"key: {key}, label: {label}, text: {words}"
    return f"  - {{{named}, target: {target}, type: rating, scale: {scale}{undesirable}}}\n"


def _items(data: Path) -> list[Row]:
    original = data / "original_data"
    dialogues = {row["conv_id"]: row for row in read_rows(original / "sample_empatheticdialogues.csv")}
    return [
        *(
            {
                "item": key,
                "turns": _turns(row["full_conversation"].replace("_comma_", ",")),
                "framework": "empathetic_dialogues",
                "emotion": row["context"],
            }
            for key, row in dialogues.items()
        ),
        *({"item": row["sp_id"], "text": row["seeker_post"], "framework": "epitome"} for row in _epitome(data)),
        *(
            {"item": row["OriginalDiscloserID"], "text": "(not published)", "framework": "perceived_empathy"}
            for row in read_rows(original / "sample_perceived_empathy_annotations.csv")
        ),
        *(
            {"item": row["conversation_id"], "turns": _turns(row["full_conversation"]), "framework": "lend_an_ear"}
            for row in read_rows(original / "sample_lend_an_ear_conversations.csv")
        ),
    ]


def _epitome(data: Path) -> list[Row]:
    return read_rows(data / "original_data" / "sample_epitome.csv")


def _crowd(data: Path) -> list[Row]:
    return read_rows(data / "original_data" / "sample_lend_an_ear_annotations.csv")


def _turns(conversation: str) -> str:
    turns: list[Row] = []
    for line in conversation.split("\n"):
        speaker, colon, text = line.strip().partition(":")
        if colon and speaker in ("Seeker", "Supporter"):
            turns.append({"speaker": speaker, "text": text.strip()})
        elif line.strip():
            turns[-1]["text"] = f"{turns[-1]['text']}\n{line.strip()}".strip()
    return json.dumps(turns, ensure_ascii=False)


def _expert_and_judge_ratings(data: Path) -> list[Row]:
    replies = {row["sp_id"]: row["rp_id"] for row in _epitome(data)}
    return [
        {
            "rater": rater,
            "item": row[column],
            "response": replies[row[column]] if target == "response" else "",
            "question": name.rstrip("*"),
            "value": row[name.rstrip("*")],
        }
        for directory, column, target, _, names in FRAMEWORKS.values()
        for rater in (*EXPERTS, *JUDGES)
        for row in read_rows(data / "annotations" / directory / f"{rater}_ratings.csv")
        for name in names.split()
    ]


def _crowd_ratings(crowd: list[Row]) -> list[Row]:
    names = [name.rstrip("*") for name in FRAMEWORKS["lend_an_ear"][4].split()]
    return [
        {
            "rater": row["user_id"],
            "item": row["conversation_id"],
            "response": "",
            "question": name,
            "value": row[name],
            "rated_at": row["time_created"],
        }
        for row in crowd
        for name in names
        if row[name]
    ]


# Kumar et al. 2025: three experts and three models on 21 dimensions of empathic communication.

TABLE = "annotations/table_kappa.csv"
# Two decimals are printed.
TOLERANCE = 0.0051


def _published(data: Path) -> Sequence[Published]:
    """The weighted kappas of each pair of experts, from the authors' own table."""
    rows = [(sorted(ast.literal_eval(row["Annotator Pair"])), row) for row in read_rows(data / TABLE)]
    return [
        Published(
            f"Weighted kappa, {row['Dimension'].replace('_', ' ')}, {' and '.join(pair)}",
            float(row["Weighted Cohen's Kappa"]),
            TOLERANCE,
            TABLE,
            "cohen_kappa_quadratic",
            row["Dimension"],
            {"raters": pair},
            # The authors weight by the categories that the two raters used; where that differs, it is the last record.
            is_last=True,
        )
        for pair, row in rows
        if set(pair) <= set(EXPERTS)
    ]


KUMAR = Pack(
    "kumar2025",
    "Kumar et al. (2025), When LLMs are reliable for judging empathic communication, doi:10.5281/zenodo.17230987",
    "the folder of the authors' replication data, with annotations/ and original_data/",
    write_kumar,
    _published,
)
