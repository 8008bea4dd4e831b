"""Two texts are compared by words; joined, the pieces are the texts themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.base.word_difference import MAX_WORDS, n_changed, word_difference

TEXT = st.lists(st.sampled_from(["warm", "cold", "\n", "  ", "so"])).map(" ".join)


@given(TEXT, TEXT)
def test_pieces_of_each_text_are_the_text(old: str, new: str) -> None:
    left, right = word_difference(old, new)
    assert "".join(piece.text for piece in left) == old
    assert "".join(piece.text for piece in right) == new
    same = [[word for piece in side if not piece.is_changed for word in piece.text.split()] for side in (left, right)]
    assert same[0] == same[1]


def test_changed_words_are_counted_on_each_side() -> None:
    left, right = word_difference("I am sorry to hear that.", "I am so sorry about that.")
    assert (n_changed(left), n_changed(right)) == (2, 2)


@pytest.mark.parametrize(("last", "n"), [("end", 0), ("other", MAX_WORDS + 1)])
def test_long_texts_differ_as_a_whole_or_not_at_all(last: str, n: int) -> None:
    begin = "word " * MAX_WORDS
    left, right = word_difference(begin + "end", begin + last)
    assert (n_changed(left), n_changed(right)) == (n, n)
