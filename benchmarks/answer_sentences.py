"""Six simulated studies, each with a known effect and with none: what the answer says, and the truth.

One line for each: the true value, whether the interval holds it, and the sentence, in English and in German, for a
reader who judges whether it says what is true. With one seed, one interval in twenty misses the truth, and one answer
in twenty is clear without an effect. With a folder, the twelve studies are written to it too, for `attune report` and
`attune study load`.
Run: python -m benchmarks.answer_sentences [SEED] [FOLDER]
"""

import csv
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm

from app.analysis import analyze
from app.analysis.findings.answers import answers_of
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.report.labelled import labelled
from app.analysis.report.verdicts import effect_behind
from app.protocol.study import Protocol
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol

N_ITEMS, N_RATERS, EFFECT = 24, 20, 0.6
SD_ITEM, SD_RATER, SD_SLOPE, SD_REST = 0.5, 0.5, 0.3, 0.8
MIDDLE = 3.0
TIE = 0.4
OF_FOLDER = 2


@dataclass(frozen=True, slots=True)
class Simulated:
    """A study with its answers, and the true value of its primary contrasts."""

    protocol: Protocol
    rows: list[Row]
    truths: tuple[float, ...]
    raters: list[Row] | None = None


def _points(value: float) -> int:
    return int(np.clip(np.rint(value), 1, 5))


def _mean(shift: float, variance: float) -> float:
    """The mean of a rating whose latent value is normal around the middle of the scale."""
    cuts = np.arange(1.5, 5)
    return 1.0 + float(np.sum(norm.sf(cuts, MIDDLE + shift, np.sqrt(variance))))


def _difference(shift: float) -> float:
    plain = SD_ITEM**2 + SD_RATER**2 + SD_REST**2
    return _mean(shift, plain + SD_SLOPE**2) - _mean(0.0, plain)


def _pair_with_ties(effect: float, rng: np.random.Generator) -> Simulated:
    study = protocol({**CHOICE, "tie": True}, analysis={"primary": ["preference"]})
    items, raters = rng.normal(0, SD_ITEM, N_ITEMS), rng.normal(0, SD_SLOPE, N_RATERS)
    latent = effect + items[:, None] + raters[None, :] + rng.normal(0, SD_REST, (N_ITEMS, N_RATERS))
    said = np.where(np.abs(latent) < TIE, "tie", np.where(latent > 0, "model", "human"))
    rows = [
        {"rater": f"r{r}", "item": f"i{i}", "question": "preference", "value": str(said[i, r])}
        for i in range(N_ITEMS)
        for r in range(N_RATERS)
    ]
    sd = np.sqrt(SD_ITEM**2 + SD_SLOPE**2 + SD_REST**2)
    won, tied = norm.sf(TIE, effect, sd), norm.cdf(TIE, effect, sd) - norm.cdf(-TIE, effect, sd)
    return Simulated(study, rows, (float(won + tied / 2),))


def _ratings(rng: np.random.Generator, shift: Callable[[int, str], float], sources: tuple[str, ...]) -> list[Row]:
    """Each rater rates the response of each source to each item; the effect of a source varies over items."""
    items, raters = rng.normal(0, SD_ITEM, N_ITEMS), rng.normal(0, SD_RATER, N_RATERS)
    slopes = {source: rng.normal(0, SD_SLOPE, N_ITEMS) * (source != sources[0]) for source in sources}
    return [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": f"i{i}:{source}",
            "question": "empathy",
            "value": _points(
                MIDDLE + shift(r, source) + items[i] + raters[r] + slopes[source][i] + rng.normal(0, SD_REST)
            ),
        }
        for i in range(N_ITEMS)
        for r in range(N_RATERS)
        for source in sources
    ]


def _three_sources(effect: float, rng: np.random.Generator) -> Simulated:
    sources = {"human": {"kind": "human"}, "model_a": {"kind": "model"}, "model_b": {"kind": "model"}}
    study = protocol(FIVE, sources=sources, analysis={"primary": ["empathy"]})
    shifts = {"model_a": effect, "model_b": 0.0}
    rows = _ratings(rng, lambda _, source: shifts.get(source, 0.0), ("human", "model_a", "model_b"))
    return Simulated(study, rows, (_difference(effect), _difference(0.0)))


def _expert_and_crowd(effect: float, rng: np.random.Generator) -> Simulated:
    pools = {"design": {"pools": {"crowd": {}, "expert": {"label": "Experts"}}}}
    test = {"question": "empathy", "test": "pool_difference", "pool": "expert", "reference_pool": "crowd"}
    study = protocol(FIVE, analysis={"primary": [test]}, **pools)
    named = [{"rater": f"r{r}", "pool": "expert" if r % 2 else "crowd"} for r in range(N_RATERS)]
    rows = _ratings(rng, lambda rater, _: -effect * (rater % 2), ("human", "model"))
    variance = SD_ITEM**2 + SD_RATER**2 + SD_REST**2
    both = [_mean(-effect, variance + more) - _mean(0.0, variance + more) for more in (0.0, SD_SLOPE**2)]
    return Simulated(study, rows, (float(np.mean(both)),), named)


def _label_between_raters(effect: float, rng: np.random.Generator) -> Simulated:
    told = {"kind": "instruction", "levels": {"person": "A person wrote it.", "ai": "An AI wrote it."}}
    named = {**told, "label": "Told author", "level_labels": {"person": "a person", "ai": "an AI"}, "assign": "between"}
    primary = [{"question": "empathy", "factor": "told"}]
    study = protocol(FIVE, analysis={"primary": primary}, conditions={"told": named})
    rows = _ratings(rng, lambda rater, _: -effect * (rater % 2), ("human", "model"))
    for row in rows:
        row["condition"] = f"told={'ai' if int(row['rater'][1:]) % 2 else 'person'}"
    variance = SD_ITEM**2 + SD_RATER**2 + SD_REST**2
    both = [_mean(-effect, variance + more) - _mean(0.0, variance + more) for more in (0.0, SD_SLOPE**2)]
    return Simulated(study, rows, (float(np.mean(both)),))


def _before_and_after(effect: float, rng: np.random.Generator) -> Simulated:
    about: dict[str, Any] = {**FIVE, "target": "rater", "scale": {n: f"p{n}" for n in range(1, 10)}}
    about["text"] = "How do you feel?"
    before = {**about, "key": "before", "label": "Mood before"}
    after = {**about, "key": "after", "label": "Mood after"}
    told = {"kind": "instruction", "levels": {"rest": "Rest.", "writing": "Write."}, "assign": "between"}
    primary = [{"question": "after", "test": "change_difference", "factor": "arm"}]
    change: dict[str, Any] = {"changes": [{"before": "before", "after": "after"}], "primary": primary}
    study = protocol(before, after, FIVE, analysis=change, conditions={"arm": {**told, "label": "Task"}})
    rows = _ratings(rng, lambda *_: 0.0, ("human", "model"))[: 2 * N_RATERS]
    for rater in range(40):
        is_writing = rater % 2
        mood = 5 + rng.normal(0, 1)
        later = mood + 0.3 + effect * is_writing + rng.normal(0, 0.7)
        cell = f"arm={'writing' if is_writing else 'rest'}"
        for key, value in (("before", mood), ("after", later)):
            row: Row = {"rater": f"r{rater}", "question": key, "value": int(np.clip(np.rint(value), 1, 9))}
            rows.append({**row, "condition": cell})
    for answer in rows:
        answer.setdefault("condition", f"arm={'writing' if int(answer['rater'][1:]) % 2 else 'rest'}")
    return Simulated(study, rows, (effect,))


def _dialogues_by_turn(effect: float, rng: np.random.Generator) -> Simulated:
    primary = [{"question": "empathy", "test": "turn_slope_difference"}]
    study = protocol({**FIVE, "target": "turn"}, analysis={"primary": primary})
    turns, slope = 5, effect / 4
    items, raters = rng.normal(0, SD_ITEM, N_ITEMS), rng.normal(0, SD_RATER, N_RATERS)
    rows = [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": f"i{i}:{source}",
            "question": "empathy",
            "turn": turn,
            "value": _points(
                2.7 + slope * (turn - 1) * (source == "model") + items[i] + raters[r] + rng.normal(0, SD_REST)
            ),
        }
        for i in range(N_ITEMS)
        for r in range(N_RATERS)
        if (i + r) % 4 == 0
        for source in ("human", "model")
        for turn in range(1, turns + 1)
    ]
    return Simulated(study, rows, (slope,))


STUDIES = {
    "pair with ties": _pair_with_ties,
    "three sources": _three_sources,
    "expert and crowd": _expert_and_crowd,
    "label between raters": _label_between_raters,
    "before and after by arm": _before_and_after,
    "dialogues by turn": _dialogues_by_turn,
}


def _tell(name: str, made: Simulated) -> None:
    more: dict[str, Any] = {"raters": made.raters} if made.raters else {}
    report = analyze(frames(made.protocol, made.rows, **more), made.protocol)
    primary = [one for result in report.primary for one in result.estimates]
    for one, truth in zip(primary, made.truths, strict=False):
        shown = effect_behind(one, report.estimates) or one
        low, high = shown.ci_low, shown.ci_high
        holds = low is not None and high is not None and low <= truth <= high
        print(f"{name}: true {truth:.3f}, estimate {shown.estimate:.3f} ({low:.3f} to {high:.3f}), holds: {holds}")
    named = labelled(report, made.protocol.labels)
    for answer in answers_of(main_contrasts(named, made.protocol), named, made.protocol):
        print(f"    {answer.english}\n    {answer.german}")


def _save(folder: Path, made: Simulated, title: str) -> None:
    """Write a study folder; the texts of items and responses only say which they are."""
    folder.mkdir(parents=True)
    study = {**made.protocol.model_dump(mode="json", exclude_defaults=True), "slug": folder.name, "title": title}
    (folder / "study.yaml").write_text(json.dumps(study))
    items = list(dict.fromkeys(row["item"] for row in made.rows if row.get("item")))
    _write(folder / "items.csv", [{"item": item, "text": f"Message {item}: I had a hard day."} for item in items])
    labels, rng = made.protocol.labels, np.random.default_rng(1)
    responses: list[Row] = [
        {"item": item, "source": source, "text": f"{labels.source(source)}, {item}. " + "I am sorry. " * int(length)}
        for item in items
        for source, length in zip(made.protocol.sources, rng.integers(2, 9, len(made.protocol.sources)), strict=True)
    ]
    if any("turn" in row for row in made.rows):
        for row in responses:
            said = [
                {"speaker": who, "text": f"{row.get('text')} {n}"} for n in range(5) for who in ("Seeker", "Helper")
            ]
            row |= {"text": "", "turns": json.dumps(said)}
    _write(folder / "responses.csv", responses)
    named = made.raters or [{"rater": name} for name in dict.fromkeys(row["rater"] for row in made.rows)]
    _write(folder / "raters.csv", [{"rater": row["rater"], "kind": "person", "pool": row.get("pool")} for row in named])
    _write(folder / "ratings.csv", made.rows)


def _write(file: Path, rows: list[Row]) -> None:
    with file.open("w", newline="") as out:
        table = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)))
        table.writeheader()
        table.writerows(rows)


def main() -> None:
    """Print the sentences of all studies."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    for place, (name, make) in enumerate(STUDIES.items()):
        for effect in (EFFECT, 0.0):
            about = f"{name}, {'with an effect' if effect else 'without an effect'}"
            made = make(effect, np.random.default_rng([seed, place, bool(effect)]))
            if len(sys.argv) > OF_FOLDER:
                slug = f"{name.replace(' ', '-')}{'' if effect else '-null'}"
                _save(Path(sys.argv[OF_FOLDER]) / slug, made, name.capitalize())
            _tell(about, made)


if __name__ == "__main__":
    main()
