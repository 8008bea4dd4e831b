"""attune study sample: a sample that grows where judge and people disagree."""

import csv
import json
from pathlib import Path

import pytest

from tests.kit.builder import EMPATHY, protocol_of
from tests.kit.command_line import Attune, attune

__all__ = ["attune"]
N = 30
SOURCES = ("person", "model")


@pytest.fixture
def study(attune: Attune, tmp_path: Path) -> Path:
    """A study that is open, with a sample of 12 of 30 items that two people have rated, and a judge that rated all."""
    folder = tmp_path / "study"
    folder.mkdir()
    parts = {"trials": "pairs", "raters_per_trial": 2, "human_sample": {"share": 0.4}}
    whole = protocol_of(questions=[EMPATHY], design=parts)
    (folder / "study.yaml").write_text(json.dumps(whole))
    (folder / "items.csv").write_text("item,text\n" + "".join(f"i{k},Text {k}.\n" for k in range(N)))
    rows = [f"i{k}:{source},i{k},{source},A response {'x' * k}." for k in range(N) for source in SOURCES]
    (folder / "responses.csv").write_text("\n".join(["response,item,source,text", *rows, ""]))
    assert attune("study", "load", folder).code == 0
    assert attune("study", "open", "study").code == 0
    return tmp_path


def items_of(attune: Attune, place: Path) -> list[dict[str, str]]:
    assert attune("study", "export", "study", "--out", place).code == 0
    with (place / "items.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rate(attune: Attune, place: Path, keys: list[str], raters: list[str], *options: str) -> None:
    """Import ratings: the judge is far off on every third item."""
    sheet = place / f"{raters[0]}.csv"
    lines = ["rater,item,source,question,value"]
    for key in keys:
        k = int(key[1:])
        for source in SOURCES:
            true = 1 + (k + (source == "model")) % 3
            said = true + (2 if k % 3 == 0 else 0) * (source == "model")
            lines += [f"{rater},{key},{source},empathy,{said if options else true}" for rater in raters]
    sheet.write_text("\n".join([*lines, ""]))
    found = attune("ratings", "import", "study", sheet, "--new-raters", *options)
    assert found.code == 0, found.err


def drawn_again(attune: Attune, folder: Path, n: int, item: str) -> None:
    """The draws of both stages are repeated from the folder, and an item that was put in by hand is named."""
    checked = attune("study", "check", folder)
    assert (checked.code, f"the sample has the same {n} items." in checked.err) == (0, True)
    table = folder / "items.csv"
    as_drawn = table.read_text(encoding="utf-8")
    rows = [*csv.DictReader(as_drawn.splitlines())]
    assert {row["sampling_draws"].count("|") for row in rows} == {1}
    with table.open("w", encoding="utf-8", newline="") as file:
        changed = csv.DictWriter(file, [*rows[0]])
        changed.writeheader()
        changed.writerows({**row, "in_human_sample": "false"} if row["item"] == item else row for row in rows)
    found = attune("study", "check", folder).err
    assert f"does not draw this sample: in_human_sample is different for {item}." in found


@pytest.mark.slow
def test_sample_grows_by_about_the_asked_number_and_every_probability_is_exported(attune: Attune, study: Path) -> None:
    said = attune("study", "sample", "study")
    assert (said.code, said.out) == (0, "stage 1\t12 items\n")
    assert "People rate 12 of 30 items." in said.err
    early = attune("study", "sample", "study", "--add", "6")
    assert (early.code, "At least 8 items need answers of people and of a model judge" in early.err) == (1, True)
    before = items_of(attune, study / "before")
    drawn = [row["item"] for row in before if row["in_human_sample"] == "true"]
    rate(attune, study, drawn, ["r1", "r2"])
    rate(attune, study, [row["item"] for row in before], ["judge"], "--rater-kind", "model")
    assert attune("study", "sample", "study", "--add", "40").err.count("1 to 18 items; found 40") == 1
    said = attune("study", "sample", "study", "--add", "6")
    assert said.code == 0, said.err
    after = items_of(attune, study / "after")
    new = [row["item"] for row in after if row["in_human_sample"] == "true" and row["item"] not in drawn]
    assert 5 <= len(new) <= 8
    assert {row["sampling_stage"] for row in after if row["item"] in new} == {"2"}
    assert sum(float(row["sampling_probability"]) for row in after) == pytest.approx(18)
    assert min(float(row["sampling_probability"]) for row in after) >= 0.4
    rate(attune, study, new, ["r3", "r4"])
    report = attune("analyze", "study", "--json")
    assert "The probability of each item to be rated by people is known" in report.out
    assert attune("report", "study", "--out", study / "report", "--format", "md").code == 0
    written = (study / "report" / "report.md").read_text(encoding="utf-8")
    assert f"Of 30 items, 12 were drawn at random for people, then {len(new)} in stage 2, more often those" in written
    assert "Active statistical inference" in written
    drawn_again(attune, study / "after", len(drawn) + len(new), new[0])
    assert attune("study", "close", "study").code == 0
    closed = attune("study", "sample", "study", "--add", "2")
    assert (closed.code, "The study is closed." in closed.err) == (1, True)
