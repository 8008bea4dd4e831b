"""Passages as character offsets: lossless reading and writing, merging of overlaps, any line endings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.protocol.questions.spans import (
    MAX_SPANS,
    QuoteError,
    Span,
    as_shown,
    find_quotes,
    from_shown,
    quotes_of,
    read_spans,
    spans_to_text,
    to_shown,
)

TEXT = "\U0001f642 It was hard. It was long."


def test_offsets_count_characters_not_code_units() -> None:
    (span,) = find_quotes(["It was hard"], [TEXT], in_turns=False)
    assert (span.start, span.end, TEXT[span.start : span.end]) == (2, 13, "It was hard")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("0-5", (Span(None, 0, 5),)),
        ("9-12| 0-5 ", (Span(None, 0, 5), Span(None, 9, 12))),
        ("0-5|5-9", (Span(None, 0, 9),)),
        ("0-9|2-5", (Span(None, 0, 9),)),
        ("0-99", None),
        ("5-5", None),
        ("5-2", None),
        ("1:0-5", None),
        ("-1-5", None),
        ("0-5|", None),
        ("a", None),
        ("\u0660-\u0665", None),
        ("|".join(["0-1"] * (MAX_SPANS + 1)), None),
    ],
)
def test_spans_are_read_in_order_and_within_text(text: str, expected: tuple[Span, ...] | None) -> None:
    assert read_spans(text, [TEXT], in_turns=False) == expected


@pytest.mark.parametrize(("text", "is_read"), [("2:0-3", True), ("0-3", False), ("3:0-3", False), ("0:0-3", False)])
def test_dialogue_span_must_name_an_existing_turn(text: str, *, is_read: bool) -> None:
    assert (read_spans(text, ["Hello.", "Oh no."], in_turns=True) is not None) is is_read


def test_repeated_quote_marks_next_occurrence() -> None:
    found = find_quotes(["It was", "it  was"], [TEXT], in_turns=False)
    assert quotes_of(found, [TEXT]) == ["It was", "It was"]
    assert len(found) == 2
    assert find_quotes(["It was"] * 3, [TEXT], in_turns=False) == found
    with pytest.raises(QuoteError, match="It is hard"):
        find_quotes([" It is hard "], [TEXT], in_turns=False)


texts = st.lists(st.sampled_from(["a", "b", " ", "\r\n", "\r", "\n", "\U0001f642"]), min_size=1, max_size=12).map(
    "".join
)


@given(texts, st.data())
def test_browser_spans_map_to_original_line_endings(text: str, data: st.DataObject) -> None:
    page = as_shown(text)
    start = data.draw(st.integers(0, len(page) - 1))
    end = data.draw(st.integers(start + 1, len(page)))
    (stored,) = from_shown([Span(None, start, end)], [text])
    assert as_shown(text[stored.start : stored.end]) == page[start:end]
    assert to_shown([stored], [text]) == (Span(None, start, end),)


def test_span_ending_inside_line_ending_is_shown_up_to_it() -> None:
    assert to_shown([Span(1, 0, 3)], ["ab\r\nc"]) == (Span(1, 0, 2),)


@given(st.lists(st.tuples(st.integers(1, 2), st.integers(0, 19), st.integers(1, 20)), max_size=6))
def test_written_spans_round_trip(parts: list[tuple[int, int, int]]) -> None:
    passages = ["x" * 20, "y" * 20]
    spans = [Span(turn, start, end) for turn, start, end in parts if start < end]
    read = read_spans(spans_to_text(spans), passages, in_turns=True)
    assert read is not None
    assert read_spans(spans_to_text(read), passages, in_turns=True) == read
    marked = {(span.turn, place) for span in spans for place in range(span.start, span.end)}
    assert {(span.turn, place) for span in read for place in range(span.start, span.end)} == marked
