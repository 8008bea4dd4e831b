"""A primary contrast of two sources comes out as declared: source minus reference, not the analysis's own way."""

from collections.abc import Callable
from typing import Any

import pytest

from app.analysis import analyze, analyze_primary
from app.analysis.data.frames import Frames
from app.analysis.estimate import Estimate
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from app.analysis.report.sentences import published_tests
from app.analysis.statistic import declared
from app.protocol.primary import TESTS
from app.protocol.study import Protocol
from app.results.charts.forest import forest_spec, forest_table
from tests.kit.frames import CHOICE, FIVE, TWO_SOURCES, Row, find, frames, protocol
from tests.kit.told import told

PAIR = {"source": "human", "reference": "model"}
ASKED: list[dict[str, Any]] = [
    FIVE,
    {**FIVE, "key": "harm", "reversed": True},
    {**FIVE, "key": "now", "target": "turn"},
    CHOICE,
    {"key": "who", "target": "response", "type": "category", "text": "Who?", "codes": {"a": "A", "b": "B", "c": "C"}},
    {"key": "order", "target": "set", "type": "ranking", "text": "Which is best?"},
]
# the value that means no difference, where it is not zero
SHARES = dict.fromkeys(
    ("prob_superiority", "share_preferred", "share_preferred_wilson_cc", "share_preferred_glmm"), 0.5
)
RATIOS = ("odds_ratio_clmm", "share_at_least_ratio")


def rated(key: str, sources: tuple[str, ...] = ("human", "model"), **more: object) -> list[Row]:
    """Ratings of six raters on eight items: each source about a point above the one before it."""
    return [
        {
            "rater": f"r{rater}",
            "item": f"i{item}",
            "response": f"i{item}:{source}",
            "question": key,
            "value": 1 + ((item * 3 + rater * 5 + 4 * place) % 7 + 3 * place) // 3,
            **more,
        }
        for rater in range(6)
        for item in range(8)
        for place, source in enumerate(sources)
    ]


def answers_of(key: str) -> list[Row]:
    """Answers to a question of ASKED, better or higher for the model."""
    cells = [(f"r{rater}", f"i{item}", rater + item) for rater in range(6) for item in range(8)]
    if key == "preference":
        return [
            {"rater": r, "item": i, "question": key, "value": "human" if n % 4 == 0 else "model"} for r, i, n in cells
        ]
    if key == "now":
        rises = [(row, turn, row["response"].endswith("model")) for turn in (1, 2, 3, 4) for row in rated(key)]
        noise = [(int(row["item"][1]) * turn + int(row["rater"][1])) % 3 == 0 for row, turn, _ in rises]
        return [
            {**row, "turn": turn, "value": min(5, row["value"] + turn // 2 * is_model + more)}
            for (row, turn, is_model), more in zip(rises, noise, strict=True)
        ]
    if key == "who":
        return [{**row, "value": "abc"[(row["value"] + int(row["rater"][1])) % 3]} for row in rated(key)]
    if key == "order":
        return [
            {
                "rater": r,
                "item": i,
                "response": f"{i}:{source}",
                "question": key,
                "value": 1 + ((n % 4 == 0) == (source == "model")),
            }
            for r, i, n in cells
            for source in ("human", "model")
        ]
    return rated(key)


def asked(*contrasts: dict[str, Any]) -> tuple[Frames, Protocol]:
    keys = {one["question"] for one in contrasts}
    questions = [one for one in ASKED if one["key"] in keys]
    analysis = {"primary": list(contrasts), "cut": dict.fromkeys(keys & {"empathy"}, 1.75)}
    is_of_responders = any(one["test"] == "mean_difference_responders" for one in contrasts)
    study = protocol(*questions, analysis={**analysis, "responder": "writer"} if is_of_responders else analysis)
    data = frames(study, [row for key in sorted(keys) for row in answers_of(key)])
    data.responses["writer"] = [f"{source} {n % 3}" for n, source in enumerate(data.responses["source"])]
    return data, study


def made(*contrasts: dict[str, Any]) -> tuple[Report, Protocol]:
    data, study = asked(*contrasts)
    return analyze_primary(data, study), study


def said(report: Report, study: Protocol) -> str:
    return "\n".join(one.said for contrast in told(report, study) for one in contrast)


def both_ways(**contrast: object) -> tuple[Estimate, Estimate]:
    """The only primary estimate of human against model, and that of model against human."""
    found = []
    for pair in (PAIR, {"source": "model", "reference": "human"}):
        report, _ = made({**contrast, **pair})
        (one,) = [one for one in report.estimates if one.role == "primary"]
        assert {part: value for part, value in one.scope.items() if part in PAIR} == pair
        assert report.primary[0].estimates == (one,)
        found.append(one)
    return found[0], found[1]


@pytest.mark.parametrize(
    ("question", "test"),
    [
        *(("empathy", test) for test in ("mean_difference", "mean_difference_lmm", "t_paired", "t_unpaired")),
        ("empathy", "mean_difference_responders"),
        ("empathy", "prob_superiority"),
        ("empathy", "equivalence"),
        ("now", "turn_slope_difference"),
        ("preference", "share_preferred"),
        ("preference", "share_preferred_wilson_cc"),
        ("order", "share_preferred"),
    ],
)
def test_estimate_is_mirrored_with_its_interval_and_keeps_its_p(question: str, test: str) -> None:
    margin = {"margin": 1.25} if test == "equivalence" else {}
    mine, theirs = both_ways(question=question, test=test, **margin)
    twice = 2 * SHARES.get(test, 0.0)
    assert mine.estimate is not None
    assert theirs.estimate is not None
    assert mine.estimate < twice / 2 < theirs.estimate
    mirrored = [None if one is None else twice - one for one in (theirs.estimate, theirs.ci_high, theirs.ci_low)]
    assert [mine.estimate, mine.ci_low, mine.ci_high] == pytest.approx(mirrored)
    assert [mine.p_value, mine.p_adjusted] == pytest.approx([theirs.p_value, theirs.p_adjusted])
    assert mine.verdict == theirs.verdict


@pytest.mark.parametrize("test", RATIOS)
def test_ratio_is_inverted(test: str) -> None:
    mine, theirs = both_ways(question="empathy", test=test)
    assert mine.estimate == pytest.approx(1 / (theirs.estimate or 0), rel=1e-3)
    assert 0 < (mine.estimate or 0) < 1


def test_non_inferiority_is_tested_for_the_declared_source() -> None:
    """A person's responses a point below those of a model are worse by half a point; the model's are not."""
    mine, theirs = both_ways(question="empathy", test="non_inferiority", margin=0.5)
    assert (mine.verdict, theirs.verdict) == ("not_shown", "non_inferior")
    assert (mine.p_value or 0) > 0.95
    mine, theirs = both_ways(question="harm", test="non_inferiority", margin=0.5)
    assert (mine.verdict, theirs.verdict) == ("non_inferior", "not_shown")
    report, study = made({"question": "empathy", "test": "non_inferiority", "margin": 0.5, **PAIR})
    text = said(report, study)
    assert text.startswith("Human was not shown to be non-inferior to Model on Empathy (\N{MINUS SIGN}0.96, ")
    assert "; margin 0.5; " in text


COMPARING = [
    (question["key"], name)
    for question in ASKED
    for name, test in TESTS.items()
    if test.compares in {"sources", "turns"}
    and "reference" in test.may
    and (test.compares == "turns") == (question["key"] == "now")
    and {"choice": "preference", "ranking": "order", "category": "codes"}.get(question["type"], "scale")
    in test.measures
    and question["key"] != "harm"
]


@pytest.mark.parametrize(("question", "test"), COMPARING)
def test_every_test_of_two_sources_has_one_estimate_in_the_declared_direction(question: str, test: str) -> None:
    margin = {"margin": 0.5} if "margin" in TESTS[test].may else {}
    code = {"code": "a"} if test == "category_difference" else {}
    report, study = made({"question": question, "test": test, **PAIR, **margin, **code})
    (one,) = report.primary[0].estimates
    assert {part: value for part, value in one.scope.items() if part in PAIR} == PAIR
    assert test in declared(one.statistic).tests
    text = said(report, study)
    if declared(one.statistic).is_of_choices:
        assert text.startswith("Model was preferred over Human (Human 25.0% of ")
    else:
        assert text.index("Human") < text.index("Model")


def test_mirror_image_is_no_further_test() -> None:
    """The analysis has the pair in its own direction too: not counted, and with the verdict of the contrast."""
    contrast = {"question": "empathy", "test": "mean_difference"}
    own, turned = (analyze(*asked({**contrast, **pair})) for pair in ({"source": "model"}, PAIR))
    assert [note for note in turned.notes if "exploratory" in note] == [
        note for note in own.notes if "exploratory" in note
    ]
    (mirror, *_) = find(turned, "mean_difference", scope={"source": "model", "reference": "human"})
    (primary,) = turned.primary[0].estimates
    assert (mirror.role, mirror.p_adjusted, mirror.verdict) == ("descriptive", primary.p_adjusted, primary.verdict)


def test_row_of_the_contrast_has_the_declared_direction() -> None:
    report, study = made({"question": "empathy", "test": "mean_difference", **PAIR})
    shown = labelled(report, study.labels)
    (row,) = main_contrasts(shown, study)
    assert (row.source, row.reference, row.effect) == ("Human", "Model", "Human \N{MINUS SIGN}0.96 points")
    assert row.primary is not None
    names = [line[0] for line in forest_table(shown.of("comparison")).rows]
    assert len(names) == len(set(names)) == 2
    chart = str(forest_spec(shown.of("comparison"), title="Differences"))
    assert "Human \N{MINUS SIGN} Model" in chart
    assert "Differences as named, with 95% CIs" in chart


def test_any_pair_of_sources_can_be_tested() -> None:
    """With three sources, pairs without the reference of the analysis had only means and t tests."""
    sources = {**TWO_SOURCES, "other": {"kind": "model"}}
    contrasts = [
        {"question": "empathy", "test": "odds_ratio_clmm", "source": "model", "reference": "other"},
        {"question": "empathy", "test": "mean_difference", "reference": "model", "published": "t_paired"},
    ]
    study = protocol(FIVE, sources=sources, analysis={"primary": contrasts})
    report = analyze_primary(frames(study, rated("empathy", ("human", "model", "other"))), study)
    odds, means = (result.estimates for result in report.primary)
    assert [(one.scope["source"], one.scope["reference"]) for one in odds] == [("model", "other")]
    assert {one.scope["source"]: (one.estimate or 0) > 0 for one in means} == {"human": False, "other": True}
    published = published_tests(report.primary[1], report, study)
    assert sorted((one.scope["source"], (one.estimate or 0) > 0) for one in published) == [
        ("human", False),
        ("other", True),
    ]


def by_condition() -> tuple[Protocol, Frames]:
    """Half of the items are shown with a note: there, the model is a point and a half better than without it."""
    study = protocol(
        FIVE,
        {**FIVE, "key": "harm", "reversed": True},
        conditions={"note": {"kind": "profile", "levels": ["hidden", "shown"]}},
    )
    rows = [
        {**row, "condition": "note=shown" if with_note else "note=hidden", "value": min(5, row["value"] + more)}
        for key in ("empathy", "harm")
        for row in rated(key)
        for with_note in (int(row["item"][1]) % 2,)
        for more in (with_note * row["response"].endswith("model") * (1 + int(row["rater"][1]) % 2),)
    ]
    return study, frames(study, rows)


def by_concern() -> tuple[Protocol, Frames]:
    """Raters with a higher score rate models higher, and people not."""
    study = protocol(FIVE, {**FIVE, "key": "harm", "reversed": True}, {**FIVE, "key": "concern", "target": "rater"})
    scores: list[Row] = [
        {"rater": f"r{n}", "item": None, "response": None, "question": "concern", "value": 1 + n % 5} for n in range(6)
    ]
    rows = [
        {**row, "value": min(5, row["value"] + int(row["rater"][1]) % 5 // 2 * row["response"].endswith("model"))}
        for key in ("empathy", "harm")
        for row in rated(key)
    ]
    return study, frames(study, rows + scores)


OF_MORE: dict[str, tuple[Callable[[], tuple[Protocol, Frames]], dict[str, Any], tuple[str, str]]] = {
    "interaction": (
        by_condition,
        {"factor": "note", "level": "shown"},
        ("he difference Human minus Model on ", "was lower with"),
    ),
    "covariate_slope_difference": (
        by_concern,
        {"covariate": "concern"},
        ("rose less, or fell more, for ", "Human than for Model"),
    ),
}


@pytest.mark.parametrize("question", ["empathy", "harm"])
@pytest.mark.parametrize("test", OF_MORE)
def test_difference_of_differences_is_mirrored_in_estimate_words_and_verdict(test: str, question: str) -> None:
    """`harm` is a question on which high values are undesirable: it turns the reading, not the direction."""
    build, parts, words = OF_MORE[test]
    study, data = build()
    found = []
    for pair in (PAIR, {"source": "model", "reference": "human"}):
        contrast = {"question": question, "test": test, **parts, **pair}
        analysis = {**study.analysis.model_dump(exclude_unset=True), "primary": [contrast]}
        declared_so = Protocol.model_validate({**study.model_dump(exclude_unset=True), "analysis": analysis})
        report = analyze_primary(data, declared_so)
        (one,) = report.primary[0].estimates
        assert {part: value for part, value in one.scope.items() if part in PAIR} == pair
        found.append((one, said(report, declared_so)))
    (mine, text), (theirs, other) = found
    assert mine.estimate is not None
    assert theirs.estimate is not None
    assert mine.estimate < -0.01
    mirrored = [-theirs.estimate, -(theirs.ci_high or 0), -(theirs.ci_low or 0)]
    assert [mine.estimate, mine.ci_low, mine.ci_high] == pytest.approx(mirrored)
    assert mine.p_value == pytest.approx(theirs.p_value)
    assert mine.verdict == theirs.verdict is not None
    assert all(part in text for part in words), text
    assert "higher" in other
    assert ("undesirable" in text) == (question == "harm")
