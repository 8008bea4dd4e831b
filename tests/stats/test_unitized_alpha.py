import numpy as np
import pytest
from krippendorff import alpha

from app.stats.spans import Marked, Span, marked_characters, span_alpha

LENGTHS: dict[object, int] = {"one": 20, "two": 30, "three": 25}


def _marks() -> list[Marked]:
    spans: dict[str, list[tuple[Span, ...]]] = {
        "one": [((2, 8),), ((3, 9),), ()],
        "two": [((0, 10), (20, 25)), ((0, 12),), ((1, 9),)],
        "three": [((5, 15),), ((5, 14),)],
    }
    return [Marked(text, text, rater, span) for text, given in spans.items() for rater, span in enumerate(given)]


def test_span_alpha_is_nominal_alpha_of_characters() -> None:
    marks = _marks()
    table = np.full((3, sum(LENGTHS.values())), np.nan)
    starts = dict(zip(LENGTHS, (0, 20, 50), strict=True))
    for mark in marks:
        start, length = starts[mark.text], LENGTHS[mark.text]
        table[int(str(mark.rater)), start : start + length] = marked_characters(mark.spans, length)
    found = span_alpha(marks, LENGTHS)
    assert found.estimate == pytest.approx(alpha(table, level_of_measurement="nominal"))
    assert found.interval
    assert found.interval.low < (found.estimate or 0) < found.interval.high < 1
    assert (found.n_units, found.n_raters, found.n_ratings, found.df) == (3, 3, 8, 2)


def test_jackknife_deletes_whole_texts() -> None:
    """The jackknife by hand: alpha from the package without each text."""
    marks = _marks()
    left = []
    for text in LENGTHS:
        rest = [mark for mark in marks if mark.text != text]
        left.append(np.arctanh(span_alpha(rest, LENGTHS).estimate or 0))
    z = np.array(left)
    found = span_alpha(marks, LENGTHS)
    error = np.sqrt(2 / 3 * ((z - z.mean()) ** 2).sum()) * (1 - (found.estimate or 0) ** 2)
    assert found.standard_error == pytest.approx(error)


@pytest.mark.parametrize(
    ("marks", "reason", "interval_reason"),
    [
        ([], "no_pairable_units", None),
        ([Marked("one", 1, "a", ((0, 2),))], "no_pairable_units", None),
        ([Marked("one", 1, "a", ()), Marked("one", 1, "b", ())], "no_variation", None),
        ([Marked("one", 1, "a", ((0, 2),)), Marked("one", 1, "b", ((0, 3),))], None, "one_cluster"),
        (
            [Marked(text, 1, rater, ((0, 2),) if text == "one" else ()) for text in ("one", "two") for rater in "ab"],
            None,
            "one_cluster",
        ),
        ([Marked(text, 1, rater, ((0, 2),)) for text in ("one", "two") for rater in "ab"], None, "no_variation"),
    ],
)
def test_spans_without_variation_report_a_reason(
    marks: list[Marked], reason: str | None, interval_reason: str | None
) -> None:
    found = span_alpha(marks, LENGTHS)
    assert (found.reason, found.interval_reason) == (reason, interval_reason)
