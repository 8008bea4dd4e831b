"""The class of device: stored with each answer if the page's script sends it, and only as one of three words."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text

from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.rater_pages import FULL, Visitor, form_address

KEY = "00000000-0000-4000-8000-000000000009"


def test_answer_stores_which_points_of_its_scale_had_words(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(questions=[PREFERENCE, EMPATHY, EMPATHY | {"key": "ends", "labels_shown": "ends"}])
    anna = visitor()
    page = anna.begin()
    ends = {"q2r0": "1", "q2r1": "2"}
    anna.rate(page, FULL | ends)
    with engine.connect() as db:
        found = db.execute(text("SELECT DISTINCT question, labels_shown FROM ratings ORDER BY question"))
        assert [tuple(row) for row in found] == [("empathy", "all"), ("ends", "ends"), ("preference", None)]


def devices(engine: Engine) -> dict[str, str | None]:
    with engine.connect() as db:
        found = db.execute(text("SELECT question, device FROM ratings ORDER BY question, response_id"))
        return {row.question: row.device for row in found}


@pytest.mark.parametrize(("sent", "kept"), [("phone", "phone"), ("", None), ("iPhone 15 of Anna", None)])
def test_answer_stores_device_class(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor], sent: str, kept: str | None
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    assert page.text.count("data-device") == 3
    anna.rate(page, FULL | {f"{name}.device": sent for name in ("q0", "q1r0", "q1r1")})
    assert devices(engine) == {"preference": kept, "empathy": kept}


def test_answer_changed_without_scripts_keeps_device_class(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    saved = {"slot": "q0", "q0.key": KEY, "q0": "left", "q0.device": "tablet"}
    assert anna.post(f"{form_address(page)}/save", data=saved).status_code == 200
    anna.rate(anna.get(form_address(page)))
    assert devices(engine) == {"preference": "tablet", "empathy": None}
