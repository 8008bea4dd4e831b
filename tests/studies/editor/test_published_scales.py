"""Published scales: each is inserted whole, its scores follow its publication, and its citation reaches the report."""

import json
from typing import Any

import pytest

from app.analysis.document.design_words import composite_sentences
from app.base.problems import Problems
from app.protocol.study import Protocol
from app.protocol.yaml.study_yaml import read_protocol
from app.studies.editor.published_scales import BY_SHORT, PUBLISHED, PublishedScale, ScaleWordsError, with_published
from app.studies.folder.codebook import codebook_rows

START: dict[str, Any] = {
    "attune": 1,
    "slug": "small",
    "title": "A study",
    "sources": {"person": {"kind": "human"}, "machine": {"kind": "model"}},
    "questions": [{"key": "warm", "target": "response", "type": "slider", "text": "How warm?"}],
}


def words_of(scale: PublishedScale) -> str:
    return "" if scale.items else "\n".join(f"{n}. Statement {n}" for n in range(1, scale.n + 1))


def inserted(scale: PublishedScale) -> Protocol:
    data, problems = with_published(START, scale, words_of(scale), scale.about), Problems()
    protocol = read_protocol(json.dumps(data), problems)
    assert protocol is not None, problems.list_of("study.yaml")
    return protocol


@pytest.mark.parametrize("scale", PUBLISHED, ids=lambda scale: scale.short)
def test_scale_makes_a_valid_study_with_its_citation(scale: PublishedScale) -> None:
    protocol = inserted(scale)
    assert len(protocol.questions) == 1 + scale.n
    assert protocol.questions[1].text == (scale.items[0] if scale.items else "Statement 1")
    assert sum(getattr(one, "reversed", False) for one in protocol.questions) == len(scale.turned)
    assert len(protocol.analysis.composites) == len(scale.scores)
    said = " ".join(composite_sentences(protocol))
    assert said.count(scale.citation.rstrip(".")) == 1
    of_scale = [row for row in codebook_rows(protocol, {}) if row[3] == f"{scale.short}_1" and not row[4]]
    assert scale.citation in of_scale[0][5]


@pytest.mark.parametrize("scale", PUBLISHED, ids=lambda scale: scale.short)
def test_every_statement_belongs_to_a_score_and_none_twice_to_one(scale: PublishedScale) -> None:
    assert {number for score in scale.scores for number in score.of} == set(range(1, scale.n + 1))
    assert all(len(set(score.of)) == len(score.of) for score in scale.scores)
    assert set(scale.turned) <= set(range(1, scale.n + 1))
    assert len(scale.items) in {0, scale.n}


def test_reversed_statements_are_those_of_the_publication() -> None:
    protocol = inserted(BY_SHORT["iri"])
    turned = [one.key for one in protocol.questions if getattr(one, "reversed", False)]
    assert turned == [f"iri_{number}" for number in (3, 4, 7, 12, 13, 14, 15, 18, 19)]


@pytest.mark.parametrize(
    ("pasted", "sentence"),
    [
        ("", "Toronto Empathy Questionnaire (TEQ) has 16 statements. Paste all of them, one per line, in its order."),
        ("One", "This is 1 statement. Toronto Empathy Questionnaire (TEQ) has 16 statements."),
        ("\n".join(map(str, range(100, 117))), "These are 17 statements."),
        ("\n".join(["Same."] * 16), "“Same.” is there twice."),
    ],
)
def test_words_that_do_not_make_up_the_scale_are_refused(pasted: str, sentence: str) -> None:
    with pytest.raises(ScaleWordsError, match=r".*") as refused:
        with_published(START, BY_SHORT["teq"], pasted, "rater")
    assert sentence in str(refused.value)


def test_a_scale_is_added_once() -> None:
    once = with_published(START, BY_SHORT["pets"], "", "response")
    with pytest.raises(ScaleWordsError, match="is in this study already"):
        with_published(once, BY_SHORT["pets"], "", "response")
