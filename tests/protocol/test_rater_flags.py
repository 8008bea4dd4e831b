"""The rules for flags: each can fire, and none fires for a rater who answers as most do.

References: Carver (1992) for reading rates; Matjasic, Vehovar and Lozar Manfreda (2018) for the share of the median.
"""

import numpy as np
import pytest

from app.protocol.checks import Checks
from app.protocol.rater_flags import Evidence, Typing, compared_question, flags_of, side_question
from app.protocol.study import Protocol

LOOK = {"key": "look", "text": "Choose A.", "codes": {"a": "A", "b": "B"}, "correct": "a", "after": 1}
ONE_CHECK = Checks.model_validate({"attention": [LOOK]})
USUAL = Evidence(
    n_ratings=30,
    n_checks=1,
    n_trials=10,
    median_ms=40_000,
    total_ms=400_000,
    n_words=1_000,
    n_points=20,
    n_most=8,
    longest_run=3,
    n_sides=10,
    n_left=5,
    longest_side_run=3,
    n_compared=20,
    agreement=0.5,
)
OTHERS = dict.fromkeys("abcde", USUAL)


def rules(one: Evidence, checks: Checks = ONE_CHECK) -> list[str]:
    """The rules that a rater among five usual ones meets; the usual ones meet none."""
    found = flags_of(checks, {**OTHERS, "one": one})
    assert set(found) <= {"one"}
    return [flag.rule for flag in found.get("one", ())]


def words(one: Evidence, checks: Checks = ONE_CHECK) -> list[str]:
    return [flag.words for flag in flags_of(checks, {**OTHERS, "one": one})["one"]]


def test_three_hasty_raters_who_failed_the_only_check_are_flagged() -> None:
    """Ten trials in twelve seconds, as seen in a study whose times are skewed: 3 SD below the mean is negative."""
    times = [13.5, 13.4, 13.7, 14.7, 8.9, 11.4, 19.9, 8.5, 5.9, 7.1, 7.8, 9.3, 11.4, 17.5, 16.2, 9.8, 11.8, 35.5, 11.6]
    people = {
        f"r{place}": USUAL._replace(median_ms=6_000 * minutes, total_ms=60_000 * minutes)
        for place, minutes in enumerate(times)
    }
    hasty = dict.fromkeys("xyz", USUAL._replace(median_ms=1_200, total_ms=12_000, n_words=3_000, n_failed=1))
    found = flags_of(ONE_CHECK, {**people, **hasty})
    assert set(found) == {"x", "y", "z"}
    assert [flag.words for flag in found["x"]] == [
        "Failed 1 of 1 checks",
        "Shown 15,000 words per minute, more than 700",
        "1.2 seconds per trial, less than a third of the median (68.4)",
    ]
    assert flags_of(ONE_CHECK, hasty).keys() == {"x", "y", "z"}, "without anyone to compare them with"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"n_failed": 1}, ["checks"]),
        ({"n_words": 4_700}, ["speed"]),
        ({"n_words": 4_600}, []),
        ({"n_words": 9_000, "total_ms": 0.0}, []),
        ({"median_ms": 13_000}, ["time"]),
        ({"median_ms": 14_000}, []),
        ({"median_ms": None, "n_trials": 0, "total_ms": 0.0}, []),
        ({"n_most": 18}, ["straight_lining"]),
        ({"n_most": 11, "n_points": 11}, []),
        ({"longest_run": 20, "n_points": 60}, ["straight_lining"]),
        ({"longest_run": 19, "n_points": 60}, []),
        ({"n_left": 10, "longest_side_run": 10}, ["side"]),
        ({"n_left": 9}, []),
        ({"n_sides": 5, "n_left": 5, "longest_side_run": 5}, []),
        ({"n_sides": 40, "n_left": 20, "longest_side_run": 13}, ["side"]),
        ({"n_sides": 40, "n_left": 20, "longest_side_run": 11}, []),
        ({"n_sides": 0, "n_left": 0, "longest_side_run": 0}, []),
        ({"agreement": -0.2}, ["agreement"]),
        ({"agreement": -0.2, "n_compared": 11}, []),
        ({"agreement": 0.2}, []),
        ({"agreement": None}, []),
        ({"agreement": 1.0}, []),
    ],
)
def test_each_rule_has_its_limit(changes: dict[str, float | None], expected: list[str]) -> None:
    assert rules(USUAL._replace(**changes)) == expected  # type: ignore[arg-type]


def test_flags_name_their_evidence() -> None:
    assert words(USUAL._replace(n_left=1, n_sides=12, agreement=-0.2)) == [
        "Chose the right side in 11 of 12 choices",
        "Agreement with the others is at chance: correlation −0.20 over 20 ratings (median rater 0.50)",
    ]
    assert words(USUAL._replace(n_most=20)) == ["20 of 20 ratings are the same"]
    assert words(USUAL._replace(longest_run=25, longest_side_run=14, n_sides=40, n_left=20)) == [
        "25 equal ratings in a row",
        "Chose the same side 14 times in a row",
    ]


def test_nobody_is_flagged_for_agreement_that_is_low_for_all() -> None:
    low = {name: USUAL._replace(agreement=r) for name, r in zip("abcd", (-0.1, 0.0, 0.05, -0.2), strict=True)}
    assert flags_of(ONE_CHECK, low) == {}
    assert flags_of(ONE_CHECK, {"a": USUAL._replace(agreement=-0.9), "b": USUAL}) == {}, "too few to compare"


def test_declared_rule_of_standard_deviations_still_holds() -> None:
    checks = Checks.model_validate({"too_fast_sd": 1.5})
    times = {name: USUAL._replace(total_ms=400_000 + 1000 * place) for place, name in enumerate("abcdefgh")}
    hasty = USUAL._replace(total_ms=150_000)
    assert [flag.words for flag in flags_of(checks, {**times, "hasty": hasty})["hasty"]] == [
        "Total time more than 1.5 SD below the mean"
    ]
    assert flags_of(checks, {**times, "hasty": hasty._replace(n_trials=5)}) == {}, "who has not rated as much"
    assert flags_of(Checks(), {**times, "hasty": hasty}) == {}
    assert flags_of(checks, {"a": USUAL, "b": hasty}) == {}


def test_typing_is_flagged_where_it_was_counted() -> None:
    pasted = Typing(1, 90, 20, 80, 500)
    assert words(USUAL._replace(typing=pasted)) == [
        "Pasted 80% of what was entered in 1 text answer",
        "40 keystrokes per second in 1 text answer",
    ]
    assert words(USUAL._replace(typing=Typing(2, 90, 20, 80, 0))) == [
        "Pasted 80% of what was entered in 2 text answers"
    ]
    for usual in (Typing(1, 60, 60, 0, 20_000), Typing(1, 9, 5, 4, 1), Typing(1, 0, 0, 0, 0)):
        assert rules(USUAL._replace(typing=usual)) == []
    assert Typing(0, 0, 0, 0, 0).pasted_share == 0


def test_few_raters_who_answer_at_random_agree_with_nobody_by_chance_alone() -> None:
    """Of raters without any relation to the others, at most about one in a hundred is above the limit of chance."""
    rng = np.random.default_rng(1)
    correlations = (float(np.corrcoef(rng.random(60), rng.random(60))[0, 1]) for _ in range(400))
    random = {n: USUAL._replace(n_compared=60, agreement=r) for n, r in enumerate(correlations)}
    attentive = {f"a{n}": USUAL._replace(n_compared=60) for n in range(500)}
    flagged = flags_of(ONE_CHECK, {str(n): one for n, one in random.items()} | attentive)
    assert 0.85 < len(flagged) / len(random) <= 1
    assert not set(attentive) & set(flagged)


def test_choices_are_compared_by_the_arcsine_where_nothing_is_rated() -> None:
    """asin(.2) is below asin(.9) - 2.326 / sqrt(30) and below 2.326 / sqrt(30); asin(.5) is above the latter."""
    usual = Evidence(n_ratings=30, n_compared=30, agreement=0.9)
    others = dict.fromkeys("abcde", usual)
    (flag,) = flags_of(ONE_CHECK, {**others, "one": usual._replace(agreement=0.2)})["one"]
    assert flag.words.endswith("correlation 0.20 over 30 choices (median rater 0.90)")
    for agreement in (0.5, None):
        assert flags_of(ONE_CHECK, {**others, "one": usual._replace(agreement=agreement)}) == {}


def test_questions_that_raters_are_compared_on_are_the_first_of_their_kind() -> None:
    scale = {"type": "rating", "text": "How?", "scale": {1: "low", 2: "high"}}
    pair = {"target": "pair", "type": "choice", "text": "Which?"}
    protocol = Protocol.model_validate(
        {
            "attune": 1,
            "slug": "small",
            "title": "Small",
            "sources": {"a": {"kind": "human"}, "b": {"kind": "model"}},
            "questions": [
                {"key": "mood", "target": "rater", **scale},
                {"key": "warm", "target": "response", **scale},
                {"key": "kind", "target": "response", **scale},
                {"key": "better", **pair},
                {"key": "warmer", **pair},
            ],
        }
    )
    compared, sides = compared_question(protocol), side_question(protocol)
    assert (compared and compared.key, sides and sides.key) == ("warm", "better")
    alone = protocol.model_copy(update={"questions": protocol.questions[:1]})
    assert (compared_question(alone), side_question(alone)) == (None, None)
