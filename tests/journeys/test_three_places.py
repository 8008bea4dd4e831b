"""Order, side, condition and label are the same on the server, in the browser and in the exported files."""

import csv
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Engine

from app.studies.export import study_folder, study_rating_sessions
from app.studies.folder.write import write_folder
from tests.journeys.rater_steps import arrive, open_a_study
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.database import rows

pytestmark = pytest.mark.browser
TOLD = {"near": "Imagine that you are this person.", "far": "Judge it as a stranger would."}
CONDITIONS = {
    "label": {"kind": "shown_label", "levels": [True, "swapped"], "assign": "within"},
    "told": {"kind": "instruction", "levels": TOLD, "assign": "within"},
}
N_ITEMS = 8
CHOSEN = ("right", "left", "left", "right", "right", "left", "right", "left")


class Shown(NamedTuple):
    """One page as the rater saw it: situation, left and right text, their labels, and the instruction."""

    item: str
    left: str
    right: str
    labels: tuple[str, str]
    told: str


def read_page(page: Page) -> Shown:
    """Return what a rater sees on the page."""
    texts = page.locator(".response .verbatim").all_inner_texts()
    labels = page.locator(".shown-label").all_inner_texts()
    told = next(name for name, words in TOLD.items() if page.get_by_text(words).is_visible())
    boxes = [box.bounding_box() for box in page.locator(".response").all()]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["x"] < boxes[1]["x"]
    return Shown(page.locator(".situation .verbatim").inner_text(), texts[0], texts[1], (labels[0], labels[1]), told)


def rate_all(page: Page) -> list[Shown]:
    seen = []
    for number, side in enumerate(CHOSEN, start=1):
        expect(page.locator("h1")).to_have_text(f"Item {number} of {N_ITEMS}")
        seen.append(read_page(page))
        page.locator("#q0-1" if side == "left" else "#q0-2").check()
        page.locator("#q1r0-4").check()
        page.locator("#q1r1-2").check()
        page.locator("#next").click()
    return seen


def files(engine: Engine, folder: Path) -> dict[str, list[dict[str, str]]]:
    with engine.connect() as db:
        write_folder(folder, study_folder(db, 1), rating_sessions=study_rating_sessions(db, 1))
    found = {}
    for name in ("ratings", "assignments", "responses"):
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
            found[name] = list(csv.DictReader(lines))
    return found


def test_server_choices_match_page_and_exported_files(engine: Engine, page: Page, tmp_path: Path) -> None:
    open_a_study(
        engine,
        n_items=N_ITEMS,
        questions=[PREFERENCE, EMPATHY],
        conditions=CONDITIONS,
        design={"same_item": False},
        flow={"debrief": {"text": "Some labels were swapped."}},
    )
    arrive(page)
    seen = rate_all(page)
    expect(page.locator("h1")).to_have_text("What this study was about")
    stored = rows(
        engine,
        """
        SELECT i.text, l.text, r.text, a.shown_labels, t.condition, i.key, l.key, r.key FROM assignments a
        JOIN trials t ON t.id = a.trial_id JOIN items i ON i.id = t.item_id
        JOIN responses l ON l.id = a.response_ids[1] JOIN responses r ON r.id = a.response_ids[2] ORDER BY a.position
    """,
    )
    assert [Shown(row[0], row[1], row[2], tuple(row[3]), row[4].partition("told=")[2]) for row in stored] == seen
    exported = files(engine, tmp_path / "out")
    text_of = {row["response"]: row["text"] for row in exported["responses"]}
    for number, (shown, row) in enumerate(zip(seen, stored, strict=True), start=1):
        assert_written(exported, number, shown, row, text_of)
    assert {row[4] for row in stored} == {
        f"label={label}; told={told}" for label in ("true", "swapped") for told in TOLD
    }
    assert len({shown.left.split()[0] for shown in seen}) == 2


def assert_written(
    exported: dict[str, list[dict[str, str]]],
    position: int,
    shown: Shown,
    row: tuple[str, ...],
    text_of: dict[str, str],
) -> None:
    """Check that both exported files match what was shown on the page at this position."""
    *_, condition, item, left, right = row
    (assigned,) = [one for one in exported["assignments"] if one["position"] == str(position)]
    assert (assigned["item"], assigned["responses"]) == (item, f"{left}|{right}")
    assert (assigned["condition"], assigned["shown_labels"]) == (condition, "|".join(shown.labels))
    written = [one for one in exported["ratings"] if one["position"] == str(position)]
    assert len(written) == 3
    for one in written:
        assert (one["item"], one["condition"]) == (item, condition)
        assert (text_of[one["left_response"]], text_of[one["right_response"]]) == (shown.left, shown.right)
    (choice,) = [one for one in written if one["question"] == "preference"]
    side = CHOSEN[position - 1]
    assert (choice["side"], choice["value"]) == (side, left if side == "left" else right)
    label_of = dict(zip((left, right), shown.labels, strict=True))
    ratings = {one["response"]: one for one in written if one["question"] == "empathy"}
    assert {key: one["shown_label"] for key, one in ratings.items()} == label_of
    assert {key: (one["side"], one["value"]) for key, one in ratings.items()} == {
        left: ("left", "4"),
        right: ("right", "2"),
    }
