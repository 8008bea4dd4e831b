"""The rows and sentences of a summary with many sources: what they share is said once."""

from typing import Any

from tests.kit.frames import FIVE, Row, protocol
from tests.results.web.test_poor_data import context

SOURCES = {"human": {"kind": "human"}, **{f"model-{n}": {"kind": "model"} for n in range(3)}}
MODELS = ["Model-0", "Model-1", "Model-2"]
WARMTH = {**FIVE, "key": "warmth"}


def rows() -> list[Row]:
    return [
        {"rater": f"r{r}", "item": f"i{i}", "response": f"i{i}:{source}", "question": key, "value": 1 + (r + i * n) % 5}
        for key in ("empathy", "warmth")
        for r in range(5)
        for i in range(8)
        for n, source in enumerate(SOURCES)
    ]


def summary(primary: list[Any]) -> dict[str, Any]:
    analysis = {"primary": primary, "reference": "human", "cut": {"empathy": 4}}
    study = protocol(FIVE, WARMTH, sources=SOURCES, analysis=analysis)
    return context(rows(), study)


def test_question_of_several_rows_is_named_once() -> None:
    found = summary(["empathy", "warmth"])
    named = [(one.contrast.key, one.n_named) for one in found["answered"].rows.rows]
    assert named == [("empathy", 3), ("empathy", 0), ("empathy", 0), ("warmth", 3), ("warmth", 0), ("warmth", 0)]


def test_exploratory_comparisons_are_folded_and_counted_by_family() -> None:
    found = summary([{"question": "empathy", "source": "model-1"}, "warmth"])
    assert [one.contrast.source for one in found["answered"].cards] == ["Model-1", *MODELS]
    assert [one.contrast.source for one in found["exploratory"].rows] == ["Model-0", "Model-2"]
    n_clear = sum(one.contrast.is_clear for one in found["exploratory"].rows)
    assert (
        found["families"] == f"2 exploratory comparisons of ratings, {n_clear or 'none'} of them with adjusted p < .05"
    )


def test_rows_of_several_references_have_no_common_one() -> None:
    """All of them were said to be compared with the reference of the first."""
    apart = {"question": "empathy", "test": "mean_difference_lmm", "source": "model-1", "reference": "model-0"}
    assert summary([apart, "empathy", "warmth"])["answered"].rows.reference == ""
    assert summary(["empathy", "warmth"])["answered"].rows.reference == "Human"


def test_findings_that_differ_only_in_the_source_are_one_paragraph() -> None:
    found = summary([{"question": "empathy", "test": "percent_change_at_least"}])
    (answer,) = found["answered"].answers
    assert answer.startswith(
        "Ratings of 4 (quite) or more on Empathy were not clearly more or less frequent for Model-0"
    )
    assert "; Model-2 " in answer
    assert found["answered"].n_more_answers == 0


def test_means_that_are_compared_stand_beside_sentences() -> None:
    """A study of pools, levels or turns gave its answers without the means; rows and cards of sources fill a screen."""
    assert summary(["empathy"])["means"] == summary(["empathy", "warmth"])["means"] == []
    (means,) = summary([{"question": "empathy", "test": "percent_change_at_least"}])["means"]
    assert means.columns == ("Human", *MODELS)
    assert [name for name, _ in means.rows] == ["Empathy"]
    assert all(cell[0].isdigit() for _, cells in means.rows for cell in cells)


def test_coefficient_of_agreement_has_its_own_name() -> None:
    """Kendall's W of a ranking stood below *Alpha*."""
    order: dict[str, Any] = {"key": "order", "type": "ranking", "text": "Rank the replies."}
    three = {"human": {"kind": "human"}, "one": {"kind": "model"}, "two": {"kind": "model"}}
    ranked: list[Row] = [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": f"i{i}:{source}",
            "question": "order",
            "value": 1 + (n + r * i) % 3,
        }
        for r in range(4)
        for i in range(6)
        for n, source in enumerate(three)
    ]
    rated: list[Row] = [{**row, "question": "empathy"} for row in ranked]
    ranking = context(ranked, protocol(order, sources=three))
    assert ranking["coefficients"] == ["Kendall's W"]
    both = context([*ranked, *rated], protocol(order, FIVE, sources=three))
    assert both["coefficients"] == ["Alpha", "Kendall's W"]
    assert {line.label: line.coefficient for line in both["agreement"]} == {"Order": "Kendall's W", "Empathy": "Alpha"}
