"""Benchmarks replace their own section of a page, and nothing else."""

from pathlib import Path

import pytest

from benchmarks.sections import replace_section

PAGE = "# Page\n\nWords.\n\n## Judges\n\nOld.\n\n## Judges: others\n\nMore.\n\n### Detail\n"


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("## Judges", PAGE.replace("Old", "New")),
        ("## Judges: others", PAGE.replace("More.\n\n### Detail", "New.")),
        ("## Raters", PAGE + "\n## Raters\n\nNew.\n"),
    ],
)
def test_section_is_replaced_or_added_and_the_rest_stays(tmp_path: Path, heading: str, expected: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    replace_section(page, heading, f"{heading}\n\nNew.\n")
    assert page.read_text() == expected
