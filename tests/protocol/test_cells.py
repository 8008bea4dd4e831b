"""Cells: the crossing of factor levels, and their text form."""

from hypothesis import given
from hypothesis import strategies as st

from app.protocol.cells import Cell, applies, cell_of, cells, cells_by, joined
from app.protocol.conditions import Factor

names = st.text(
    st.characters(codec="utf-8", exclude_characters=";=|", exclude_categories=["Zs", "Zl", "Zp", "C"]), min_size=1
)
FACTORS = {
    "label": Factor.model_validate({"kind": "shown_label", "levels": ["none", "true", "swapped"]}),
    "profile": Factor.model_validate({"kind": "profile", "assign": "within"}),
}


@given(st.dictionaries(names, names, min_size=1))
def test_cell_round_trips_through_text(levels: dict[str, str]) -> None:
    cell = Cell(tuple(levels.items()))
    assert cell_of(cell.text) == cell


def test_crossing_has_every_combination_once() -> None:
    crossed = cells(FACTORS)
    assert len(crossed) == len(set(crossed)) == 3 * 2
    assert crossed[0].text == "label=none; profile=hidden"


def test_no_factors_give_one_unnamed_cell() -> None:
    assert [cell.text for cell in cells({})] == [""]


def test_cell_joins_between_and_within_parts() -> None:
    whole = {
        joined(FACTORS, between, within)
        for between in cells_by(FACTORS, "between")
        for within in cells_by(FACTORS, "within")
    }
    assert whole == set(cells(FACTORS))
    assert cell_of("label=true; profile=shown").part(FACTORS, "within").text == "profile=shown"


def test_partial_cell_applies_to_cells_containing_it() -> None:
    assert applies("profile=shown", "label=true; profile=shown")
    assert applies("label=true; profile=shown", "label=true; profile=shown")
    assert not applies("label=true; profile=shown", "label=true")
    assert not applies("profile=shown", "")
    assert applies("an imported condition", "an imported condition")


def test_missing_factor_has_no_level() -> None:
    assert cell_of("label=true").level("profile") is None
