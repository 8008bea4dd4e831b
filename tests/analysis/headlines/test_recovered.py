"""The table of docs/templates.md: each template states the headline of its paper on data with the paper's effect."""

from pathlib import Path

import pytest

from app.protocol.primary_default import primary_contrasts
from app.studies.folder.study_templates import list_templates
from tests.analysis.headlines.recovered import WHENCE, recovered, table_of_the_page
from tests.analysis.headlines.seeds import SEEDS, Seed
from tests.kit.templates import template_study

ROWS = table_of_the_page().splitlines()
# those whose sentences no other test looks at
IN_GATE = {
    "written-with-ai",
    "suggestions",
    "several-models",
    "reasoning-models",
    "venting",
    "case-heard",
    "empathic-accuracy",
    "empathic-dyads",
    "follow-up",
}
NAMES = [f"{at}-{seed.template}" for at, seed in enumerate(SEEDS)]


def test_no_template_is_missing() -> None:
    assert list(dict.fromkeys(seed.template for seed in SEEDS)) == [template.name for template in list_templates()]


def test_the_page_has_each_headline_and_recovers_all() -> None:
    assert [row.split(" | ")[0] for row in ROWS] == [f"| {seed.template}" for seed in SEEDS]
    for row, seed in zip(ROWS, SEEDS, strict=True):
        assert row.startswith(
            f"| {seed.template} | {seed.paper} | {seed.says} | {seed.simulated}{WHENCE[seed.origin]} | "
        )
        assert row.endswith("). | yes |"), row


@pytest.mark.parametrize("seed", SEEDS, ids=NAMES)
def test_the_headline_is_a_primary_contrast_of_the_template(seed: Seed) -> None:
    contrasts = primary_contrasts(template_study(seed.template).protocol)
    assert any(all(getattr(one, part) == value for part, value in seed.contrast.items()) for one in contrasts)


@pytest.mark.parametrize(
    ("seed", "row"),
    [
        pytest.param(seed, row, id=name, marks=() if seed.template in IN_GATE else pytest.mark.slow)
        for seed, row, name in zip(SEEDS, ROWS, NAMES, strict=False)
    ],
)
def test_the_row_is_what_the_simulated_study_gives(seed: Seed, row: str, tmp_path: Path) -> None:
    assert recovered(seed, tmp_path / "study").row == f"{row}\n"
