"""Pictures for pages and papers, out of the wheel."""

import pytest

from app.results.charts.render import Format, render
from tests.results.charts.test_charts import ROWS, _charts


@pytest.mark.parametrize("key", ["comparison", "distribution-1", "choice-1"])
def test_chart_renders_as_svg_with_its_labels(key: str) -> None:
    _, charts = _charts(ROWS)
    spec = charts[key].spec()
    assert spec is not None
    svg = render(spec, "svg").decode()
    assert "<svg" in svg
    for words in (charts[key].title, *(("Human", "Model") if key != "comparison" else ("Empathy", "1.50"))):
        assert words in svg
    assert 'fill="white"' not in svg


@pytest.mark.parametrize(("picture", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_chart_renders_in_print_formats(picture: Format, start: bytes) -> None:
    _, charts = _charts(ROWS)
    spec = charts["comparison"].spec()
    assert spec is not None
    assert render(spec, picture).startswith(start)


def test_specification_version_matches_renderer() -> None:
    import vl_convert

    spec = _charts(ROWS)[1]["comparison"].spec()
    assert spec is not None
    known = {version.partition(".")[0] for version in vl_convert.get_vegalite_versions()}
    assert spec["$schema"].rpartition("/v")[2].partition(".")[0] in known


def test_marks_of_direction_do_not_move_letters() -> None:
    """The first letter of an Arabic label was drawn on the next line."""
    spec = _charts(ROWS)[1]["comparison"].spec()
    plain, marked = ({**(spec or {}), "title": {"text": [f"{mark}كم كان Question", "0"]}} for mark in ("", "\u2068"))
    assert render(marked, "svg") == render(plain, "svg")
