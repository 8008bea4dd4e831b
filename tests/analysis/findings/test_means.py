"""The means beside the answers are those that the primary contrasts compare."""

from typing import Any

from app.analysis.estimate import Estimate
from app.analysis.findings.means import means_beside
from app.analysis.report.primary import PrimaryResult
from app.analysis.report.report import Report
from tests.kit.frames import FIVE, protocol

MOOD: dict[str, Any] = {**FIVE, "target": "rater"}


def told(study: Any, primary: Estimate, *others: tuple[str, str, dict[str, Any], float]) -> list[str]:  # noqa: ANN401
    found = tuple(Estimate("contrast", key, scope, name, value) for key, name, scope, value in others)  # type: ignore[arg-type]
    result = PrimaryResult(study.analysis.primary[0], is_declared=True, estimates=(primary,))
    report = Report("small", "", (), (primary, *found), primary=(result,))
    return [row.text for row in means_beside(report, study)]


def of(name: str, **scope: Any) -> Estimate:  # noqa: ANN401 - any scope
    return Estimate("contrast", "empathy", scope, name, 0.5)  # type: ignore[arg-type]


def test_slopes_stand_beside_a_difference_in_slopes() -> None:
    study = protocol(
        {**FIVE, "target": "turn"}, analysis={"primary": [{"question": "empathy", "test": "turn_slope_difference"}]}
    )
    means = [Estimate("distribution", "empathy", {"source": source}, "mean", 3.0) for source in ("human", "model")]
    slopes = [Estimate("contrast", "empathy", {"source": source}, "turn_slope", 0.1) for source in ("human", "model")]
    primary = of("turn_slope_difference", source="model", reference="human")
    result = PrimaryResult(study.analysis.primary[0], is_declared=True, estimates=(primary,))
    rows = means_beside(Report("small", "", (), (primary, *means, *slopes), primary=(result,)), study)
    assert [row.text for row in rows] == [
        "Empathy: Human 3.00; Model 3.00",
        "Empathy, change per turn: Human 0.10; Model 0.10",
    ]


def test_changes_of_each_arm_stand_beside_their_difference() -> None:
    writer = {"kind": "source", "levels": ["human", "model"], "assign": "between"}
    study = protocol(
        {**MOOD, "key": "mood_before"},
        {**MOOD, "key": "empathy"},
        FIVE | {"key": "warmth"},
        conditions={"writer": writer},
        analysis={
            "changes": [{"before": "mood_before", "after": "empathy"}],
            "primary": [{"question": "empathy", "test": "change_difference", "factor": "writer"}],
        },
    )
    arms = {"before": "mood_before", "factor": "writer"}
    primary = of("change_difference", **arms, level="model", reference_level="human")
    changes = [("empathy", "change", {**arms, "level": level}, 1.0 + at) for at, level in enumerate(("human", "model"))]
    assert told(study, primary, *changes, ("empathy", "change", {"before": "mood_before"}, 9.0)) == [
        "Empathy, change from before to after: Human 1.00; Model 2.00"
    ]


def test_people_are_beside_models() -> None:
    contrast = {"question": "answer", "rater_kind": "model", "reference_rater_kind": "person"}
    asked = {
        "key": "answer",
        "target": "item",
        "type": "category",
        "text": "?",
        "codes": ["a", "b"],
        "correct": "a",
    }
    study = protocol(asked, analysis={"primary": [contrast]})
    primary = Estimate(
        "contrast",
        "answer",
        {"rater_kind": "model", "reference_rater_kind": "person"},
        "pool_accuracy_difference",
        0.2,
    )
    shares = [
        ("answer", "accuracy_share", scope, 0.5 + at / 4) for at, scope in enumerate(({}, {"rater_kind": "model"}))
    ]
    assert told(study, primary, *shares) == ["Answer: people 50.0%; models 75.0%"]
