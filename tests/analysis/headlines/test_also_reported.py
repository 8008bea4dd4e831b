"""Each template's report contains what docs/templates.md promises beside the primary results."""

import csv
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from app.analysis import analyze
from app.analysis.data.study_folder import frames_of
from app.analysis.estimate import Estimate
from app.protocol.questions.category import CategoryQuestion
from app.studies.folder.read import read_folder
from app.studies.folder.study_templates import list_templates
from tests.analysis.headlines.promised import PROMISED, Record
from tests.analysis.headlines.simulated_ratings import Effect, Seen, simulate
from tests.kit.templates import RATED_IN_GATE, every_template, template_study

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "templates.md").read_text(encoding="utf-8")
IN_GATE = {template.name for template in list_templates()} - RATED_IN_GATE
# templates whose promise is about subgroups of ratings
BY_ATTRIBUTE = {"warmth-reliability"}
PARTS = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def also_reported(name: str) -> str:
    """Return the promise of the page after "Also reported", on one line."""
    found = re.search(r"Also reported: (.*?)\.(?: |$)", " ".join(PARTS[name].split()))
    return found[1] if found else ""


def lean(_question: str, seen: Seen) -> float:
    """Return a difference between sources; raters differ in what they are like."""
    return 0.3 * (len(seen.source) % 3) + 0.2 * (seen.rater % 3)


def code_of(name: str) -> Callable[[str, Seen, Random], str]:
    """Return a `code` that is mostly the key's, where there is one."""
    asked = {q.key: q for q in template_study(name).protocol.questions if isinstance(q, CategoryQuestion)}

    def code(question: str, seen: Seen, rng: Random) -> str:
        right = {**seen.item, **seen.response}.get(asked[question].correct_column or "")
        others = [each for each in asked[question].codes if each not in asked[question].exclusive]
        return right if right and rng.random() < 0.7 else rng.choice(others)

    return code


def with_judges(folder: Path) -> None:
    """Let the model judges of raters.csv answer, each as a person did."""
    with (folder / "raters.csv").open(encoding="utf-8", newline="") as file:
        judges = [row["rater"] for row in csv.DictReader(file) if row["kind"] == "model"]
    with (folder / "ratings.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    people = list(dict.fromkeys(row["rater"] for row in rows))
    for judge, person in zip(judges, people, strict=False):
        rows += [{**row, "rater": judge} for row in rows if row["rater"] == person and row.get("item")]
    with (folder / "ratings.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def fits(estimate: Estimate, record: Record, question: str | None) -> bool:
    """Whether the estimate is a known number of this kind."""
    return (
        estimate.estimate is not None
        and estimate.statistic == record.statistic
        and set(estimate.scope) == set(record.scope.split())
        and question in {None, estimate.measured}
        and estimate.method.startswith(record.method)
        and record.unit in {"", estimate.unit}
        and record.values.items() <= estimate.scope.items()
    )


@pytest.mark.parametrize("name", [template.name for template in list_templates()])
def test_the_page_promises_what_is_checked(name: str) -> None:
    assert ", ".join(PROMISED.get(name, {})) == also_reported(name)


@pytest.mark.parametrize("name", [one for one in every_template(in_gate=IN_GATE) if one.values[0] in PROMISED])
def test_the_report_contains_what_the_page_promises(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name not in BY_ATTRIBUTE:
        # as in a large study, which leaves out mixed models, most of the time here, and subgroups of attributes
        monkeypatch.setattr("app.analysis.data.question_data.MAX_RATINGS", 0)
        monkeypatch.setattr("app.analysis.sections.specifications.DEPARTURES_OF_MODELS", {})
    folder = tmp_path / "study"
    simulate(name, folder, Effect(lean, code=code_of(name), n_raters=6, middle=0.7))
    if (folder / "raters.csv").exists():
        with_judges(folder)
    study = read_folder(folder)
    estimates = analyze(frames_of(study), study.protocol).estimates
    missing = [
        (phrase, record.statistic, question)
        for phrase, records in PROMISED[name].items()
        for record in records
        for question in record.questions or (None,)
        if not any(fits(estimate, record, question) for estimate in estimates)
    ]
    assert missing == []
