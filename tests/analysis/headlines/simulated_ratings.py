"""Simulated ratings with a known effect for the folder of a template, written as ratings.csv."""

import csv
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, cycle
from pathlib import Path
from random import Random
from typing import Any

from app.protocol.allocation.randomization import seeded
from app.protocol.conversation import Conversation
from app.protocol.questions.category import CategoryQuestion
from app.protocol.questions.choice import ChoiceQuestion
from app.protocol.questions.highlight import HighlightQuestion
from app.protocol.questions.ranking import RankingQuestion
from app.protocol.questions.rating import RatingQuestion
from app.protocol.questions.registry import AnyQuestion
from app.protocol.questions.slider import SliderQuestion
from app.protocol.study import Protocol
from app.studies.folder.study_templates import template_folder
from tests.kit.templates import template_study

NOISE, SEVERITY = 0.8, 0.3
SLIDER_STEP = 10
# the largest gap that is about the same
TIED = 0.3


@dataclass(frozen=True)
class Seen:
    """The context of one answer: who answers, and what was shown."""

    rater: int
    pool: str = ""
    kind: str = "person"
    item: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    response: Mapping[str, str] = field(default_factory=dict)
    condition: Mapping[str, str] = field(default_factory=dict)
    shown_label: str = ""
    turn: int = 0
    name: str = ""


@dataclass(frozen=True)
class Effect:
    """True values of a simulation. `lean` is in scale points; `code` chooses a code; `span` marks characters.

    With `models`, those of raters.csv answer too, in as many runs each. With `copies`, each item is there as often.
    """

    lean: Callable[[str, Seen], float]
    code: Callable[[str, Seen, Random], str] | None = None
    span: Callable[[str, Seen, Random], str] | None = None
    n_raters: int = 12
    seed: int = 3
    middle: float = 0.5
    models: int = 0
    copies: int = 1


def simulate(name: str, folder: Path, effect: Effect) -> list[dict[str, Any]]:
    """Copy a template to the folder and write simulated ratings into it; return the rows."""
    shutil.copytree(template_folder(name), folder)
    study, rng = template_study(name), seeded(effect.seed)
    if effect.copies > 1:
        _copy_items(folder, study.protocol, effect.copies)
    texts = {"items": _rows(folder, "items"), "responses": _rows(folder, "responses")}
    raters = _raters(folder, study.protocol, effect)
    if study.protocol.writing:
        texts["responses"] = [*_written(study.protocol, texts["items"], [name for name, _, _ in raters])]
        _write(folder, "responses", texts["responses"])
    rows = list(_answers(study.protocol, texts, raters, effect, rng))
    _write(folder, "ratings", rows)
    return rows


def _written(protocol: Protocol, items: list[dict[str, str]], raters: list[str]) -> Iterator[dict[str, str]]:
    """What each rater writes: as many texts as a rater has trials, with the partner of their arm."""
    arm = next((name for name, factor in protocol.conditions.items() if factor.kind == "source"), None)
    n = protocol.design.trials_per_rater or len(items)
    conversation = protocol.conversation
    if conversation and any(partner.is_person for partner in conversation.partners.values()):
        yield from _written_by_two(protocol, conversation, items, raters)
        return
    for number, rater in enumerate(raters):
        source = _levels(protocol, number, 0)[arm] if arm else next(iter(protocol.sources))
        for place in range(n):
            item = items[(number // 2 + place) % len(items)]["item"]
            words = {"text": "Written by the rater.", "written_by": rater}
            yield {"item": item, "source": source, "response": f"{rater}-{place}:{source}", **words}


def _written_by_two(
    protocol: Protocol, conversation: Conversation, items: list[dict[str, str]], raters: list[str]
) -> Iterator[dict[str, str]]:
    """What each two raters in a row write with each other, in turn, as many messages as they are asked for."""
    source = next(iter(protocol.sources))
    roles = conversation.partners[source].roles
    said = [{"speaker": roles[role].label, "text": "Written.", "by": role} for role in roles]
    for number, (first, second) in enumerate(zip(raters[::2], raters[1::2], strict=True)):
        turns = json.dumps(said * conversation.min_messages)
        words = {"turns": turns, "written_by": first, "written_with": second}
        item = items[number % len(items)]["item"]
        yield {"item": item, "source": source, "response": f"{first}-{second}:{source}", **words}


def _write(folder: Path, file: str, rows: list[dict[str, Any]]) -> None:
    with (folder / f"{file}.csv").open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)


def _copy_items(folder: Path, protocol: Protocol, copies: int) -> None:
    """Repeat items and responses under other keys; in each copy, versions stay together and other people wrote them."""
    keys = {"item", "response", "rater", protocol.analysis.matched_items, protocol.analysis.responder}
    for file in ("items", "responses", "raters"):
        rows = _rows(folder, file)
        own = [row for row in rows if file != "raters" or _is_own(protocol, row.get("pool", ""))]
        for copy in range(1, copies):
            rows += [{name: f"{row[name]}-{copy}" if name in keys else row[name] for name in row} for row in own]
        if rows:
            _write(folder, file, rows)


def _is_own(protocol: Protocol, pool: str) -> bool:
    return pool in protocol.design.pools and protocol.design.pools[pool].items == "own"


def _rows(folder: Path, file: str) -> list[dict[str, str]]:
    path = folder / f"{file}.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for row in rows if file == "responses" else ():
        row.setdefault("response", f"{row['item']}:{row['source']}")
    return rows


def _raters(folder: Path, protocol: Protocol, effect: Effect) -> list[tuple[str, str, str]]:
    """Return name, pool and kind of each rater that answers.

    People come from raters.csv for pools of named raters, and are made up for open pools.
    """
    named = [
        (row["rater"], row.get("pool", ""))
        for row in _rows(folder, "raters")
        if row["kind"] == "person" and row.get("pool") in protocol.design.pools
    ]
    taken = {pool for _, pool in named}
    still_open = [pool for pool in protocol.design.pools if pool not in taken] or ([] if taken else [""])
    pools = cycle(still_open)
    found = [*named, *((f"r{k:02d}", next(pools)) for k in range(effect.n_raters if still_open else 0))]
    people = [(name, pool, "person") for name, pool in found]
    listed = [row for row in _rows(folder, "raters") if row["kind"] == "model"]
    models = [(row["rater"], row.get("pool", ""), row.get("model") or row["rater"]) for row in listed]
    if effect.models:
        models = [(f"{name}-{run}", pool, model) for name, pool, model in models for run in range(effect.models)]
    if (folder / "raters.csv").exists() or protocol.design.pools:
        _write_raters(folder, people, models)
    return [*people, *((name, pool, "model") for name, pool, _ in models if effect.models)]


def _write_raters(folder: Path, people: list[tuple[str, str, str]], models: list[tuple[str, str, str]]) -> None:
    with (folder / "raters.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("rater", "pool", "kind", "model"))
        writer.writerows((*one, "") for one in people)
        writer.writerows((name, pool, "model", model) for name, pool, model in models)


def _answers(
    protocol: Protocol,
    texts: Mapping[str, list[dict[str, str]]],
    raters: list[tuple[str, str, str]],
    effect: Effect,
    rng: Random,
) -> Iterator[dict[str, Any]]:
    for number, (name, pool, kind) in enumerate(raters):
        severity = rng.gauss(0, SEVERITY)
        me = Seen(number, pool, kind, name=name)
        for question in protocol.questions:
            if question.target == "rater" and _is_asked(protocol, question, pool):
                yield {"rater": name, "question": question.key, "value": _value(question, me, effect, rng, severity)}
        for place, item in enumerate(texts["items"]):
            if _is_own(protocol, pool) and item.get("rater") != name:
                continue
            seen = replace(me, item=item, condition=_levels(protocol, number, place))
            responses = [
                row
                for row in texts["responses"]
                if row["item"] == item["item"] and name in {row.get("written_by", name), row.get("written_with")}
            ]
            if protocol.writing and not responses:
                continue
            for row in _of_item(protocol, seen, responses, effect, rng, severity):
                yield {"rater": name, "item": item["item"], "condition": _cell(seen), **row}


def _is_asked(protocol: Protocol, question: AnyQuestion, pool: str) -> bool:
    pages = [*protocol.flow.before, *protocol.flow.after]
    own = [page for page in pages if question.key in page.questions]
    return not own or any(not page.pools or pool in page.pools for page in own)


def _levels(protocol: Protocol, rater: int, place: int) -> dict[str, str]:
    return {
        name: [*factor.levels][(rater if factor.assign == "between" else rater + place) % len(factor.levels)]
        for name, factor in protocol.conditions.items()
    }


def _cell(seen: Seen) -> str:
    return "; ".join(f"{name}={level}" for name, level in seen.condition.items())


def _of_item(
    protocol: Protocol,
    seen: Seen,
    responses: list[dict[str, str]],
    effect: Effect,
    rng: Random,
    severity: float,
) -> Iterator[dict[str, Any]]:
    shown = [row for row in responses if _is_shown(protocol, seen, row)]
    about = [_about(protocol, seen, row) for row in shown]
    for question in protocol.questions:
        if question.target == "item":
            yield {"question": question.key, "value": _value(question, seen, effect, rng, severity)}
        elif question.target in {"response", "turn"}:
            for one in about or [seen]:
                yield from _of_response(question, one, effect, rng, severity)
        elif isinstance(question, ChoiceQuestion):
            for left, right in combinations(about, 2):
                yield _choice(question, left, right, effect, rng)
        elif isinstance(question, RankingQuestion):
            yield from _ranking(question, about, effect, rng)


def _is_shown(protocol: Protocol, seen: Seen, row: Mapping[str, str]) -> bool:
    wanted = [level for name, level in seen.condition.items() if protocol.conditions[name].kind == "source"]
    return not wanted or row["source"] in wanted


def _about(protocol: Protocol, seen: Seen, row: Mapping[str, str]) -> Seen:
    """Return the context of a response as this rater sees it, including the shown label of its source."""
    told = next(
        (level for name, level in seen.condition.items() if protocol.conditions[name].kind == "shown_label"), ""
    )
    said = row["source"] if told == "true" else next((name for name in protocol.sources if name != row["source"]), "")
    label = protocol.sources[said].shown_label if told in {"true", "swapped"} else ""
    return replace(seen, source=row["source"], response=row, shown_label=label)


def _of_response(
    question: AnyQuestion, seen: Seen, effect: Effect, rng: Random, severity: float
) -> Iterator[dict[str, Any]]:
    row = {"question": question.key, "response": seen.response.get("response", ""), "shown_label": seen.shown_label}
    if question.target == "response":
        yield {**row, "value": _value(question, seen, effect, rng, severity)}
        return
    turns = json.loads(seen.response.get("turns") or seen.item.get("turns") or "[]")
    # Of two who write with each other, the first to be named has the odd turns.
    is_first, is_about_own = seen.name == seen.response.get("written_by"), question.turns == "own"
    for turn in range(1, len(turns) + 1):
        if question.turns != "all" and (turn % 2 == 1) != (is_first == is_about_own):
            continue
        at = replace(seen, turn=turn)
        yield {**row, "turn": turn, "value": _value(question, at, effect, rng, severity)}


def _value(question: AnyQuestion, seen: Seen, effect: Effect, rng: Random, severity: float) -> str:
    if isinstance(question, SliderQuestion):
        middle = question.min + effect.middle * (question.max - question.min)
        at = middle + SLIDER_STEP * (severity + rng.gauss(0, NOISE)) + effect.lean(question.key, seen)
        return str(round(min(max(at, question.min), question.max)))
    if isinstance(question, RatingQuestion):
        points = question.values
        step = points[1] - points[0]
        middle = points[0] + effect.middle * (points[-1] - points[0])
        at = middle + step * (severity + rng.gauss(0, NOISE)) + effect.lean(question.key, seen)
        return f"{min(points, key=lambda point: abs(point - at)):g}"
    if isinstance(question, CategoryQuestion):
        if effect.code is not None:
            return effect.code(question.key, seen, rng)
        return rng.choice([code for code in question.codes if code not in question.exclusive])
    if isinstance(question, HighlightQuestion):
        return effect.span(question.key, seen, rng) if effect.span is not None else "0-4"
    return "Written in the rater's own words, at some length, so that it is long enough for any question of a study."


def _choice(question: ChoiceQuestion, left: Seen, right: Seen, effect: Effect, rng: Random) -> dict[str, Any]:
    gap = effect.lean(question.key, left) - effect.lean(question.key, right) + rng.gauss(0, 1)
    value = left.response["response"] if gap > 0 else right.response["response"]
    if question.tie and abs(gap) < TIED:
        value = "tie"
    sides = {"left_response": left.response["response"], "right_response": right.response["response"]}
    return {"question": question.key, "value": value, **sides}


def _ranking(question: RankingQuestion, about: list[Seen], effect: Effect, rng: Random) -> Iterator[dict[str, Any]]:
    worth = {one.response["response"]: effect.lean(question.key, one) + rng.gauss(0, 1) for one in about}
    for rank, response in enumerate(sorted(worth, key=lambda name: -worth[name]), 1):
        yield {"question": question.key, "response": response, "value": rank}
