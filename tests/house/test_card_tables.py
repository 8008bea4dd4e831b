"""Tables whose rows are cards on a phone keep the roles of a table: one macro writes them."""

import re
from pathlib import Path

TEMPLATES = Path(__file__).parents[2] / "templates"
BY_HAND = re.compile(r'<table[^>]*class="[^"]*\bcards\b|role="(?:columnheader|rowheader|rowgroup)"')


def test_one_template_writes_the_roles_of_card_tables() -> None:
    found = {path.name for path in TEMPLATES.rglob("*.html") if BY_HAND.search(path.read_text(encoding="utf-8"))}
    assert found == {"card_table.html"}
