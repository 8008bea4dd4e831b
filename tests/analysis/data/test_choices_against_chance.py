"""Raters of a study with choices only are flagged if they agree with the others no more than chance."""

import numpy as np
import pytest

from app.analysis.data.frame_evidence import frame_evidence, rater_flags
from app.analysis.data.rater_evidence import RaterAnswers, evidence_of
from app.protocol.checks import Checks
from app.protocol.rater_flags import Evidence, flags_of
from app.protocol.rating_columns import RATER_EXCLUDED
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol

N_HONEST, N_RANDOM, N_PAIRS = 18, 2, 30


def chosen(better: float, rng: np.random.Generator, n_random: int = N_RANDOM) -> dict[int, Evidence]:
    """Choices between the same two responses of each item: is the first chosen?

    Those who choose honestly choose the response that is better in this item, which is the second source's in four of
    five, with the probability `better`; the others, who are last, choose at random.
    """
    n = N_HONEST + n_random
    pair = np.column_stack([2 * np.arange(N_PAIRS), 2 * np.arange(N_PAIRS) + 1])
    p = np.repeat([better, 0.5], [N_HONEST, n_random])[:, None]
    is_first, is_better = rng.random(N_PAIRS) < 0.2, rng.random((n, N_PAIRS)) < p
    rater, none = np.repeat(np.arange(n), N_PAIRS), np.zeros(0, np.int64)
    answers = RaterAnswers(
        n_ratings=np.full(n, N_PAIRS),
        number=np.zeros(0),
        number_of=none,
        unit=none,
        is_left=rng.random(n * N_PAIRS) < 0.5,
        side_of=rater,
        pair=np.tile(pair, (n, 1)),
        is_lower=(is_better == is_first).ravel(),
        pair_of=rater,
        active_ms=np.zeros(0),
        time_of=none,
        n_words=np.zeros(n, np.int64),
        has_order=np.zeros(n, bool),
    )
    return evidence_of(range(n), answers, group=np.ones(n, np.int64))


@pytest.mark.parametrize("better", [0.75, 0.85, 0.95])
def test_random_choices_are_flagged_and_honest_ones_are_not(better: float) -> None:
    rng, n_studies = np.random.default_rng(3), 150
    honest = random = 0
    for _ in range(n_studies):
        flagged = [n for n, flags in flags_of(Checks(), chosen(better, rng)).items() if flags[0].rule == "agreement"]
        honest += sum(n < N_HONEST for n in flagged)
        random += sum(n >= N_HONEST for n in flagged)
    assert honest / (n_studies * N_HONEST) < 0.01
    assert random / (n_studies * N_RANDOM) > (0.5 if better < 0.8 else 0.9)


def test_nobody_is_flagged_if_nobody_agrees() -> None:
    rng = np.random.default_rng(4)
    assert sum(len(flags_of(Checks(), chosen(0.5, rng))) for _ in range(20)) <= 4


def choices(n_raters: int = 8, n_items: int = 20) -> list[Row]:
    """The model's response is chosen, but the last rater chooses the left one of sides that alternate."""
    rows = []
    for rater in range(n_raters):
        for item in range(n_items):
            sides = {"left": f"i{item}:human", "right": f"i{item}:model"}
            if (rater + item) % 2:
                sides = {"left": sides["right"], "right": sides["left"]}
            by_side = "left" if item // 2 % 2 else "right"
            side = by_side if rater == n_raters - 1 else next(s for s, r in sides.items() if r.endswith("model"))
            rows.append(
                {
                    "rater": f"r{rater}",
                    "item": f"i{item}",
                    "question": "preference",
                    "value": sides[side],
                    "side": side,
                    "left_response": sides["left"],
                    "right_response": sides["right"],
                }
            )
    return rows


def test_choices_are_compared_where_nothing_is_rated() -> None:
    study = protocol(CHOICE)
    found = rater_flags(frames(study, choices()), study)
    assert list(found) == ["r7"]
    (flag,) = found["r7"]
    assert flag.rule == "agreement"
    assert flag.words == (
        "Agreement with the others is at chance: correlation 0.00 over 20 choices (median rater 0.99)"
    )


def test_repeated_and_excluded_choices_and_those_beside_ratings_are_not_compared() -> None:
    study = protocol(CHOICE)
    rows = choices()
    rows[0]["repeat"], rows[1]["exclude"], rows[2]["exclude"] = 1, "typed by mistake", f"{RATER_EXCLUDED}too fast"
    assert frame_evidence(frames(study, rows), study)["r0"].n_compared == 18
    both = protocol(CHOICE, FIVE)
    assert {one.n_compared for one in frame_evidence(frames(both, choices()), both).values()} == {0}
