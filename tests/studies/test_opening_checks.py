"""A study opens only if raters get what its protocol declares; otherwise its lead is told the reason for each part."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text

from app.protocol.opening import not_carried_out
from app.rating.life_cycle import OpeningError, open_study
from app.studies.creation.templates import new_study
from app.studies.folder.read import read_folder
from app.studies.load import load_study
from app.studies.opening_checklist import Fix, Opening
from app.studies.protocols import get_protocol
from tests.kit.builder import build_study, protocol_of
from tests.kit.conversations import conversing_study
from tests.kit.protocols import protocol

TURNED = {"turn": {"kind": "scale_direction"}}
CONDITIONS = "conditions: {turn: {kind: scale_direction}}\n"
PRACTICE = {"trials": [{"item": "p"}]}


def with_practice_in_a_turned_scale(yaml: str) -> str:
    """A template's study.yaml with practice trials and a condition that they cannot be combined with."""
    return yaml.replace("flow:\n", "flow:\n  practice: {trials: [{item: p}]}\n") + CONDITIONS


@pytest.mark.parametrize(
    ("part", "parts"),
    [
        ("flow.practice", {"flow": {"practice": PRACTICE}, "conditions": TURNED}),
    ],
)
def test_each_unsupported_protocol_part_is_named(part: str, parts: dict[str, Any]) -> None:
    assert not_carried_out(protocol(**parts)) == [part]


def test_supported_protocol_names_no_unsupported_part() -> None:
    assert not_carried_out(protocol(design={"trials": "pairs", "raters_per_trial": 2, "blind": False})) == []


def test_study_with_unsupported_part_stays_closed_without_trials(db: Connection) -> None:
    study = build_study(db, protocol_of(flow={"practice": PRACTICE}, conditions=TURNED))
    with pytest.raises(OpeningError, match=r"not carry out yet what study.yaml says in flow.practice \(line 1\)\."):
        open_study(db, "study")
    found = text("SELECT status, (SELECT count(*) FROM trials WHERE study_id = s.id) FROM studies s WHERE id = :study")
    assert tuple(db.execute(found, {"study": study}).one()) == ("draft", 0)


def test_opening_error_names_line_of_study_yaml_after_loading(db: Connection, tmp_path: Path) -> None:
    path = new_study("epitome", tmp_path / "s", "s", "T")
    yaml = with_practice_in_a_turned_scale((path / "study.yaml").read_text())
    (path / "study.yaml").write_text(yaml)
    line = yaml.splitlines().index("  practice: {trials: [{item: p}]}") + 1
    load_study(db, read_folder(path))
    with pytest.raises(OpeningError, match=rf"flow\.practice \(line {line}\)"):
        open_study(db, "s")


def test_study_without_responses_cannot_be_opened(db: Connection) -> None:
    build_study(db, protocol_of(design={"trials": "pairs"}), n_items=1)
    db.execute(text("DELETE FROM responses"))
    with pytest.raises(OpeningError, match="nothing to rate"):
        open_study(db, "study")


def test_help_lines_that_nobody_checked_within_a_year_stop_the_opening(db: Connection) -> None:
    today = datetime.now(UTC).date()
    lines = [
        {"country": "GB", "name": "Samaritans", "number": "116 123"},
        {"country": "AT", "name": "TelefonSeelsorge", "number": "142", "checked": f"{today - timedelta(days=367)}"},
        {"country": "NZ", "name": "1737", "number": "1737", "checked": f"{today + timedelta(days=2)}"},
        {"country": "US", "name": "Lifeline", "number": "988", "checked": f"{today}"},
    ]
    alert = {"alert_words": ["suicid*"], "alert": "Talk to someone."}
    study = conversing_study(db, {"replies": "none"}, **alert, help_lines=lines)
    with pytest.raises(OpeningError, match="The help line Samaritans") as caught:
        open_study(db, "study")
    assert re.findall(r"\((\w[\w ]+)\) (has|was last|was) ", str(caught.value)) == [
        ("United Kingdom", "has"),
        ("Austria", "was last"),
        ("New Zealand", "was"),
    ]
    stops = Opening(get_protocol(db, study, 1), "", None).checklist()
    (stop,) = [check for check in stops if check.title == "Help lines"]
    assert (stop.state, stop.words) == ("stop", str(caught.value))
    assert stop.fix == Fix("show_section", {"part": "conversation"}, "conversation.help_lines")


def test_study_with_checked_help_lines_opens(db: Connection) -> None:
    line = {"country": "GB", "name": "S", "number": "116 123", "checked": f"{datetime.now(UTC).date()}"}
    study = conversing_study(db, {"replies": "none"}, alert_words=["suicid*"], alert="Talk.", help_lines=[line])
    open_study(db, "study")
    assert "Help lines" not in {check.title for check in Opening(get_protocol(db, study, 1), "", None).checklist()}


def test_placeholders_stop_the_opening_until_each_is_confirmed(db: Connection) -> None:
    build_study(db, protocol_of(instructions="Ask [your name] at [your address]."))
    with pytest.raises(OpeningError, match=r"filled in: \[your name\], \[your address\]\. Fill them in, or confirm"):
        open_study(db, "study", ())
    with pytest.raises(OpeningError, match=r"filled in: \[your address\]\."):
        open_study(db, "study", ["[your name]"])
    open_study(db, "study", ["[your name]", "[your address]"])
    open_study(db, "study")
