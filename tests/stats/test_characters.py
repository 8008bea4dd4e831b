import pytest

from app.stats.spans import marked_characters


def test_overlapping_spans_count_once() -> None:
    assert marked_characters([(0, 2), (1, 3)], 5).tolist() == [True, True, True, False, False]


@pytest.mark.parametrize("span", [(2, 2), (3, 1), (-1, 2), (0, 6)])
def test_span_beyond_text_is_rejected(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="within the text of 5 characters"):
        marked_characters([span], 5)
