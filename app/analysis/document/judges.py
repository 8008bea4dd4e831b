"""Model judges in a registration, and what became of them."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from app.base.words import and_list

Judge = Mapping[str, str]
# As `judge_summary` decides.
JUDGE_RULE = (
    "A judge passes if it has a winning rate of one half or more in the alternative annotator test on every question "
    "that can be tested, no interval of judge minus human ceiling is below zero, no bias of side, length or own family "
    "is clear (Holm), and it answered 95% of the units that people rated."
)
NAME, VERSION, NOT_THERE = "name", "model_version", "Not in the study"
_FIRST = ("model", "endpoint")


def judge_of(name: str, attributes: Mapping[str, object]) -> dict[str, str]:
    """A judge with its name and its attributes, as a registration has it."""
    return {NAME: name, **{key: str(value) for key, value in attributes.items() if value not in {None, ""}}}


def judges_of_folder(folder: Path) -> tuple[dict[str, str], ...]:
    """The model judges in the raters.csv of a study folder; none without one."""
    file = folder / "raters.csv"
    if not file.exists():
        return ()
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return tuple(
            judge_of(row["rater"], {key: value for key, value in row.items() if key not in _NO_SETTINGS})
            for row in csv.DictReader(lines)
            if row.get("kind") == "model"
        )


_NO_SETTINGS = frozenset({"rater", "kind", "pool", "exclude", "is_simulated", "is_imported"})


def judge_words(judge: Judge, *, with_version: bool = True) -> str:
    """How a judge is asked, in one line.

    >>> judge_words({"name": "j", "repeats": "1", "model": "m-2026", "endpoint": "host", "both_sides": "yes"})
    'model m-2026, endpoint host, both sides yes, repeats 1'
    """
    rest = sorted(key for key in judge if key not in {NAME, VERSION, *_FIRST})
    keys = [*(key for key in _FIRST if key in judge), *rest, *([VERSION] if with_version and VERSION in judge else [])]
    return ", ".join(f"{key.replace('_', ' ')} {judge[key]}" for key in keys)


def judge_points(planned: Sequence[Judge], rule: str, done: Sequence[Judge]) -> Iterator[tuple[str, str, str]]:
    """Each registered judge as it was planned and as it is, the rule, and judges that were not registered.

    The version of the model is known only from its answers: one is no deviation, unless another one was registered.
    """
    found = {judge[NAME]: judge for judge in done}
    for judge in planned:
        now = found.get(judge[NAME])
        has_changed = now is not None and (VERSION in judge or ", " in now.get(VERSION, ""))
        words = NOT_THERE if now is None else judge_words(now, with_version=has_changed)
        yield f"Model judge {judge[NAME]}", judge_words(judge), words
    if planned:
        yield "Rule for model judges", rule, JUDGE_RULE
    names = {judge[NAME] for judge in planned}
    others = [judge[NAME] for judge in done if judge[NAME] not in names]
    if planned or others:
        yield "Other model judges", "None", and_list(others) or "None"
