"""The check of the fault run finds what is wrong with two raters who wrote with each other."""

from collections import Counter
from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text

from benchmarks.fault_writer import Writing
from benchmarks.fault_writing import compare
from tests.kit.dyads import address, dyads, end, say, two
from tests.kit.rater_pages import Visitor

_SECOND_TRANSCRIPT = """
    WITH copy AS (
      INSERT INTO responses (study_id, key, position, item_id, source_id, turns, rater_id, attributes)
      SELECT study_id, 'copy', position + 1, item_id, source_id, turns, rater_id, attributes FROM responses RETURNING id
    )
    UPDATE assignments SET response_ids = ARRAY[copy.id] FROM copy
    WHERE assignments.id = (SELECT max(assignment_id) FROM dyad_members)
"""


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("SELECT 1", {}),
        ("DELETE FROM conversation_turns WHERE text = 'Second of the seeker.'", {"lost": 1}),
        ("UPDATE conversation_turns SET text = 'Hm.' WHERE text = 'First of the supporter.'", {"altered": 1}),
        ("UPDATE responses SET turns = turns - 0", {"altered": 1}),
        (_SECOND_TRANSCRIPT, {"doubled": 1}),
    ],
)
def test_error_in_a_conversation_of_two_raters_is_found(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, change: str, found: dict[str, int]
) -> None:
    dyads(study)
    (seeker, page), (supporter, other) = two(visitor)
    page = say(seeker, page, "First of the seeker.")
    other = say(supporter, supporter.get("/s/study/rate"), "First of the supporter.")
    say(seeker, page, "Second of the seeker.", 2)
    end(seeker, page)
    end(supporter, other)
    ledger = {
        address(page).rsplit("/", 1)[1]: Writing({1: "First of the seeker.", 2: "Second of the seeker."}, is_over=True),
        address(other).rsplit("/", 1)[1]: Writing({1: "First of the supporter."}, is_over=True),
    }
    with engine.begin() as db:
        db.execute(text(change))
        made = compare(db, ledger, Counter(), Counter())
    assert {name: n for name in made.__slots__ if (n := getattr(made, name))} == found
