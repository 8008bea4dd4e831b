"""The estimates of rankings, from answers whose results can be counted by hand."""

from typing import Any

import pytest

from app.analysis import analyze
from app.analysis.findings.main_contrasts import counts_of, counts_words
from app.analysis.model_code.contrast_model import coded_study
from app.analysis.report.report import Report
from tests.kit.frames import first, frames, only, protocol

PARTS = ("_ranked",)
ORDER = {"key": "order", "type": "ranking", "text": "Rank the replies.", "ties": True}
THREE = {"human": {"kind": "human"}, "one": {"kind": "model"}, "two": {"kind": "model"}}


def ranked(*rankings: tuple[str, str, tuple[int, int, int]]) -> list[dict[str, Any]]:
    """Return rows from rater, item, and the ranks of human, one and two."""
    return [
        {"rater": rater, "item": item, "response": f"{item}:{source}", "question": "order", "value": rank}
        for rater, item, ranks in rankings
        for source, rank in zip(THREE, ranks, strict=True)
    ]


STUDY = protocol(ORDER, sources=THREE)
RANKED = ranked(
    ("r1", "a", (1, 2, 3)),
    ("r2", "a", (2, 1, 3)),
    ("r1", "b", (1, 2, 2)),
    ("r2", "b", (1, 3, 2)),
    ("r3", "b", (3, 1, 2)),
)


@pytest.fixture(scope="module")
def report() -> Report:
    return analyze(frames(STUDY, RANKED), STUDY)


def test_mean_rank_averages_ties_and_needs_more_than_two_items_for_an_interval(report: Report) -> None:
    human = only(report, "mean_rank", scope={"source": "human"})
    one = only(report, "mean_rank", scope={"source": "one"})
    assert human.estimate == pytest.approx((1 + 2 + 1 + 1 + 3) / 5)
    assert one.estimate == pytest.approx((2 + 1 + 2.5 + 3 + 1) / 5)
    assert human.method.startswith("two_way_cluster_t")
    assert (human.n_items, human.n_raters, human.n_ratings) == (2, 3, 5)
    assert human.ci_reason == "too_few"


def test_rankings_are_counted_as_rankings(report: Report) -> None:
    assert counts_words(first(report, "share_preferred")) == "5 rankings, 2 items, 3 raters"
    ranked = report.of("ranking", "order")
    assert counts_of(one for one in ranked if one.unit != "item") == "5 rankings, 2 items, 3 raters"
    assert counts_of(ranked).startswith("5 to 15 ratings")


def test_interval_of_a_mean_rank_stays_among_the_ranks() -> None:
    orders = ((1, 2, 3), (1, 3, 2), (1, 2, 3), (2, 1, 3))
    rows = ranked(*((f"r{r}", f"i{i}", orders[(i * r + r) % 4]) for r in range(4) for i in range(5)))
    report = analyze(frames(STUDY, rows), STUDY)
    for source in THREE:
        found = only(report, "mean_rank", scope={"source": source})
        assert found.ci_low is not None
        assert found.ci_high is not None
        assert 1 <= found.ci_low < found.ci_high <= 3


def test_rankings_imply_pairwise_preference_shares(report: Report) -> None:
    against_human = only(report, "share_preferred", scope={"source": "one", "reference": "human"})
    between_models = only(report, "share_preferred", scope={"source": "two", "reference": "one"})
    assert against_human.estimate == pytest.approx(2 / 5)
    assert between_models.estimate == pytest.approx((0 + 0 + 0.5 + 1 + 0) / 5)
    assert against_human.p_adjusted is not None


def test_ranking_agreement_is_computed_within_items(report: Report) -> None:
    w = first(report, "kendall_w_within_items")
    assert w.unit == "item"
    assert w.n_pairable_units == 2
    assert w.estimate is not None
    assert first(report, "rank_correlation_within_items").estimate is not None


def test_empty_ranking_study_gives_reasons() -> None:
    empty = analyze(frames(STUDY, [], items=[{"item": "a"}]), STUDY)
    assert first(empty, "mean_rank").reason == "no_pairable_units"
    assert first(empty, "share_preferred").reason == "no_pairable_units"
    assert first(empty, "kendall_w_within_items").reason == "no_pairable_units"


def test_rankings_have_no_code_of_a_model_of_ratings() -> None:
    study = protocol(ORDER, sources=THREE, analysis={"primary": ["order"]})
    coded = coded_study(analyze(frames(study, RANKED), study), study)
    assert not coded.models
    assert "not for rankings" in coded.left_out[0]
