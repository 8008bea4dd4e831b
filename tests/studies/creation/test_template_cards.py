import json
from pathlib import Path

import pytest

from app.studies.creation.templates import CARDS, KINDS, template_cards
from app.studies.folder.study_templates import list_templates
from tests.studies.creation.describe_templates import describe

STATIC = Path(__file__).resolve().parents[3] / "static"
MAX_BYTES = 15_000
HOW = "Run ATTUNE_PICTURES=1 pytest tests/journeys/test_pictures.py -k template"
NAMES = [template.name for template in list_templates()]


@pytest.mark.parametrize("name", NAMES)
def test_card_says_what_the_template_is(name: str) -> None:
    saved = json.loads(CARDS.read_text(encoding="utf-8"))
    assert saved[name] == describe(name), "Run python -m tests.studies.creation.describe_templates --write"


def test_each_template_has_small_pictures_light_and_dark() -> None:
    pictures = {path.name: path.stat().st_size for path in (STATIC / "studies" / "thumbnails").iterdir()}
    assert sorted(pictures) == sorted(f"{name}.{scheme}.webp" for name in NAMES for scheme in ("light", "dark")), HOW
    assert {name for name, size in pictures.items() if size > MAX_BYTES} == set(), HOW


def test_each_card_has_a_kind_of_the_filter_and_each_kind_a_card() -> None:
    used = {kind for card in template_cards() for kind in card.kinds}
    assert used == set(KINDS)
    assert all(card.kinds and card.questions and card.primary for card in template_cards())
