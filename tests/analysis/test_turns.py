"""Questions about turns of a dialogue, or of a conversation that is itself a response."""

from app.analysis import analyze
from tests.kit.frames import FIVE, find, frames, only, protocol

TURN = {**FIVE, "key": "now", "target": "turn"}


def test_same_turn_of_two_dialogues_is_two_units() -> None:
    study = protocol(TURN)
    rows = [
        {"rater": rater, "item": "a", "response": f"a:{source}", "question": "now", "turn": turn, "value": value}
        for rater in ("r1", "r2")
        for source, value in (("human", 1), ("model", 5))
        for turn in (1, 2)
    ]
    report = analyze(frames(study, rows), study)
    agreement = only(report, "percent_agreement", scope={})
    assert (agreement.estimate, agreement.n_units, agreement.n_ratings) == (1, 4, 8)
    # rows of one dialogue could not be told from each other
    named = [(one.scope["subgroup"], one.scope["turn"]) for one in find(report, "unit_disagreement")]
    assert sorted(map(str, named)) == [
        str(({"response": f"a:{source}"}, turn)) for source in ("human", "model") for turn in (1, 2)
    ]


def test_turns_without_responses_are_units() -> None:
    study = protocol(TURN)
    rows = [
        {"rater": rater, "item": "a", "question": "now", "turn": turn, "value": value}
        for rater in ("r1", "r2")
        for turn, value in ((1, 2), (2, 3))
    ]
    report = analyze(frames(study, rows, responses=[]), study)
    agreement = only(report, "percent_agreement", scope={})
    assert (agreement.estimate, agreement.n_units) == (1, 2)
    named = [one.scope for one in find(report, "unit_disagreement")]
    assert named == [{"subgroup": {"item": "a"}, "turn": turn} for turn in (1, 2)]
