"""Conditions as choices: what a factor can vary follows from its kind, and its levels are ticked or named."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.base.words import readable
from app.protocol.conditions import LEVELS
from app.studies.editor.controls import Control, Option, named_of
from app.studies.editor.design_choices import Rules, labelled_rows, numbers_by
from app.studies.editor.named_choices import (
    LEVEL_WORDS,
    entry_options,
    fields_of,
    level_labels,
    level_words_of,
    levels_of,
    select,
    ticks,
)
from app.studies.editor.nodes import Data, Named, Scalar
from app.studies.editor.question_keys import free_of, is_made, key_of, with_level_renamed
from app.studies.editor.reading import Form
from app.studies.editor.sections import with_value
from app.studies.editor.stored_texts import Stored

CONDITIONS = "conditions"
_NAMES = Named(Scalar())
_KINDS = {
    "shown_label": "Who raters are told wrote it",
    "instruction": "What raters are asked to do",
    "profile": "Whether a profile is shown",
    "layout": "One response or two at a time",
    "reveal": "Dialogues whole or turn by turn",
    "scale_direction": "The direction of the scales",
    "source": "Whose responses a rater reads",
}
_BY_LEVEL = ("weights", "caps", "level_labels")
_ONLY_BETWEEN, _ONLY_WITHIN = ("weights", "caps"), ("blocks",)
_LEVEL_NAME = re.compile(r"(conditions\.(\d+)\.levels)\.(\d+):key")


@dataclass(frozen=True, slots=True)
class LevelName:
    """A level of an instruction as it was named in a form: its key before and now, and its words."""

    factor: str
    old: str
    new: str
    words: str


def with_named_levels(data: Data, form: Form, stored: Stored) -> tuple[Form, list[LevelName]]:
    """The form with keys of levels in place of their names, and those names."""
    fields, names = dict(form), list[LevelName]()
    factors = list(named_of(_NAMES, data.get(CONDITIONS)).items())
    for field, values in form.items():
        match = _LEVEL_NAME.fullmatch(field)
        if match is None or int(match[2]) >= len(factors) or factors[int(match[2])][1].get("kind") != "instruction":
            continue
        key, factor = factors[int(match[2])]
        levels = list(levels_of(factor))
        old = levels[int(match[3])] if int(match[3]) < len(levels) else ""
        words = " ".join(values[-1].split())
        text = next(reversed(form.get(f"{match[1]}.{match[3]}", ())), "").strip()
        new = old
        if not words and not text:
            new = ""
        elif not old or (words and words != level_words(factor, old)):
            is_kept = key in stored.fixed.get(CONDITIONS, ())
            if not old or not (is_kept or not is_made(old, {"label": level_words(factor, old)})):
                taken = ({*levels} - {old}) | {one.new for one in names if one.factor == key}
                new = free_of(taken, key_of(words or text, "level"))
        fields[field] = [new]
        names.append(LevelName(key, old, new, words))
    return fields, names


def with_conditions_that_fit(before: Data, data: Data, names: Iterable[LevelName]) -> Data:
    """The data after conditions were edited: levels that their kind has, and nothing names what is gone."""
    for one in names:
        if one.old and one.new and one.new != one.old:
            data = with_level_renamed(data, one.factor, one.old, one.new)
        if one.new and one.words:
            data = _with_label(data, one)
    renamed = {(one.factor, one.old) for one in names if one.new}
    for key, old in named_of(_NAMES, before.get(CONDITIONS)).items():
        new = named_of(_NAMES, data.get(CONDITIONS)).get(key)
        if not isinstance(new, dict) or not isinstance(old, dict) or new == old:
            continue
        data = _with_factor(data, key, _fitting(new, old, data))
        now = levels_of(named_of(_NAMES, data.get(CONDITIONS))[key])
        for level in levels_of(old):
            if level not in now and (key, level) not in renamed:
                data = with_level_renamed(data, key, level, None)
    return data


def _with_factor(data: Data, key: str, factor: Data) -> Data:
    factors = named_of(_NAMES, data.get(CONDITIONS))
    return with_value(data, CONDITIONS, {name: factor if name == key else one for name, one in factors.items()})


def _with_label(data: Data, name: LevelName) -> Data:
    """The words of a level, unless they are what its key says anyway."""
    factor = named_of(_NAMES, data.get(CONDITIONS)).get(name.factor)
    if not isinstance(factor, dict) or name.words == level_words(factor, name.new):
        return data
    labels = {level: words for level, words in level_labels(factor).items() if level != name.new}
    if name.words != name.new:
        labels[name.new] = name.words
    rest = {part: value for part, value in factor.items() if part != "level_labels"}
    return _with_factor(data, name.factor, rest | ({"level_labels": labels} if labels else {}))


def _fitting(factor: Data, old: Data, data: Data) -> Data:
    """A factor with the parts that its kind and its assignment have, and without those that were left empty."""
    kind = str(factor.get("kind"))
    if kind != str(old.get("kind")):
        kept = {part: factor[part] for part in ("kind", "label", "assign") if part in factor}
        return kept | _new_levels(kind, data)
    fitted = dict(factor)
    if kind != "instruction" and factor.get("levels") != old.get("levels"):
        levels = list(levels_of(factor))
        fitted["levels"] = levels
        if "levels" not in old and {*levels} == {*LEVELS.get(kind, ())}:
            del fitted["levels"]
    for part in (*_BY_LEVEL, "swaps"):
        if isinstance(fitted.get(part), dict) and fitted[part] != old.get(part):
            fitted[part] = {level: value for level, value in fitted[part].items() if value not in (None, "")}
            if not fitted[part]:
                del fitted[part]
    is_within = str(factor.get("assign")) == "within"
    for part in _ONLY_BETWEEN if is_within else _ONLY_WITHIN:
        fitted.pop(part, None)
    return fitted


def _new_levels(kind: str, data: Data) -> Data:
    if kind == "source":
        return {"levels": list(named_of(_NAMES, data.get("sources"))), "assign": "between"}
    if kind == "instruction":
        text = "[What raters in this condition read]"
        labels = {"condition_a": "Condition A", "condition_b": "Condition B"}
        return {"levels": dict.fromkeys(labels, text), "level_labels": labels}
    return {}


def with_new_condition(data: Data, stored: Stored) -> Data:  # noqa: ARG001 - as the others
    """The data with one more condition: an instruction whose words wait in square brackets."""
    there = named_of(_NAMES, data.get(CONDITIONS))
    key = free_of({*there}, "new_condition")
    new = {"kind": "instruction", "label": readable(key), **_new_levels("instruction", data)}
    return with_value(data, CONDITIONS, {**there, key: new})


def level_words(factor: Mapping[str, Any], level: str) -> str:
    """The label of a level; without one, its key, as in the results."""
    return str(level_labels(factor).get(level) or level)


def _conditions(control: Control, data: Data, stored: Stored) -> Control:
    factors = named_of(_NAMES, data.get(CONDITIONS))
    control = labelled_rows(control, data, stored)
    factors = {key: one for key, one in factors.items() if isinstance(one, dict)}
    rows = tuple(_factor(row, factors[row.key], data) if row.key in factors else row for row in control.children)
    drawn = ("-".join((str(one.get("kind")), str(one.get("assign")), *_drawn_levels(one))) for one in factors.values())
    return replace(control, children=rows, drawn="|".join(drawn))


def _drawn_levels(factor: Data) -> list[str]:
    """The levels that other fields follow, unless they are being typed."""
    return [] if factor.get("kind") == "instruction" else list(levels_of(factor))


def _factor(row: Control, factor: Data, data: Data) -> Control:
    kind, fields = str(factor.get("kind")), fields_of(row)
    sources = entry_options(data, "sources")
    known = LEVEL_WORDS.get(kind) or {one.value: one.words for one in sources if kind == "source"}
    words = level_words_of(factor, data)
    options = [Option(level, text) for level, text in words.items()]
    is_within = str(factor.get("assign")) == "within"
    shown = {
        "label": fields["label"],
        "kind": select(fields["kind"], [Option(*pair) for pair in _KINDS.items()], None, label="What is varied"),
        "levels": _levels(fields["levels"], factor, known, words),
        "assign": select(fields["assign"], _ASSIGNED, None, label="Who gets which", is_required=True),
        "blocks": replace(fields["blocks"], label="One level after the other, in balanced order", is_set=True, help=""),
        "reference_level": select(fields["reference_level"], options, "The first", label="Others are compared with"),
        "level_labels": _labels(fields["level_labels"], words),
        "weights": replace(
            numbers_by(fields["weights"], words), label="Raters of each, relative to the others", help=""
        ),
        "caps": replace(numbers_by(fields["caps"], words), label="Most raters of each"),
        "swaps": _swaps(fields["swaps"], sources),
    }
    hidden = {
        *(_ONLY_BETWEEN if is_within else _ONLY_WITHIN),
        *(() if kind == "shown_label" else ("swaps",)),
        *(("level_labels",) if kind in {"instruction", "source"} else ()),
        *(("assign",) if kind == "source" else ()),
    }
    return replace(row, children=tuple(one for name, one in shown.items() if name not in hidden))


_ASSIGNED = (
    Option("between", "Each rater gets one of them"),
    Option("within", "Each rater gets all of them, on different items"),
)


def _levels(control: Control, factor: Data, known: Mapping[str, str], words: Mapping[str, str]) -> Control:
    if known:
        options = [Option(level, words.get(level) or text) for level, text in known.items()]
        return replace(ticks(control, options, words), label="Levels", help="", is_required=True, children=())
    rows = [
        replace(
            row,
            key=level_words(factor, row.key) if row.key else "",
            key_label="Name of the level",
            shape="prose",
        )
        for row in control.children
    ]
    help_ = "The name of each level, and the text that its raters read."
    return replace(control, label="Levels", help=help_, children=tuple(rows), is_set=True)


def _labels(control: Control, words: Mapping[str, str]) -> Control:
    shown = numbers_by(control, words)
    rows = tuple(replace(row, shape="line", standard=readable(row.key)) for row in shown.children)
    return replace(shown, label="Names of the levels in results", help="", children=rows, is_set=False)


def _swaps(control: Control, sources: Iterable[Option]) -> Control:
    shown = numbers_by(control, {one.value: one.words for one in sources})
    rows = tuple(select(row, sources, "The first source of the other kind") for row in shown.children)
    return replace(shown, label="Whose name stands for whom when swapped", help="", children=rows, is_set=False)


RULES: Rules = ((r"conditions", _conditions),)
NEW: dict[str, Callable[[Data, Stored], Data]] = {CONDITIONS: with_new_condition}
