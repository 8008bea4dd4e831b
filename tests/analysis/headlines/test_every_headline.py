"""Each template, from ratings with a known effect to the sentence that reports it, as its paper does first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest
from scipy.stats import chi2_contingency

from app.analysis.report.sentences import published_line
from app.studies.folder.study_templates import list_templates
from tests.analysis.headlines.driven import by_source, covers, drive, driven, is_difference, means, right_by, says
from tests.analysis.headlines.simulated_ratings import Effect
from tests.kit.templates import template_study

if TYPE_CHECKING:
    from pathlib import Path

    from tests.analysis.headlines.simulated_ratings import Seen

NAMES = [template.name for template in list_templates()]


@pytest.mark.parametrize("name", NAMES)
def test_every_template_has_primary_contrasts_and_known_raters(name: str) -> None:
    protocol = template_study(name).protocol
    assert protocol.analysis.primary
    assert protocol.raters.identity == "known"


def test_ayers_pair_headline_has_preference_then_differences(tmp_path: Path) -> None:
    answers, table = driven("ayers-pair", tmp_path / "s", Effect(by_source(chatbot=1.0)))
    found = [sentence for answer in answers for sentence in answer.sentences]
    choices = table[table["question"] == "preference"]
    share = float(choices["value"].str.endswith(":chatbot").mean())
    assert f"Chatbot is preferred over Physician in {share:.1%} of choices" in found[0].claim
    for sentence, question in zip(found[1:], ("quality", "empathy"), strict=True):
        is_difference(sentence, table, question, "chatbot", "physician", truth=1.0)
        assert "t test with two-way clustering by items and raters" in sentence.test
        assert sentence.estimate.inference == "items_and_raters"
        assert sentence.estimate.p_adjusted is not None


def test_ayers_pair_has_the_published_tests_beside_the_primary_results(tmp_path: Path) -> None:
    """Wilson's interval of the choices and the unpaired t tests: outside the family, so without adjusted p-values."""
    answers, _ = driven("ayers-pair", tmp_path / "s", Effect(by_source(chatbot=1.0)))
    share, *tests = [sentence for answer in answers for sentence in answer.published]
    assert share.estimate.method.startswith("wilson_cc")
    assert share.estimate.estimate == answers[0].sentences[0].estimate.estimate
    for sentence in tests:
        assert "unpaired t test on item means, t(10) = " in sentence.test
        assert "adjusted" not in sentence.test
        assert sentence.estimate.role == "exploratory"
    line = published_line(answers)
    assert line.startswith("As published. Wilson interval with continuity correction, counting each rating as indep")
    assert "Unpaired t test on item means, for new items rated by these raters: Quality of information t(10) = " in line
    published, primary = (one.interval for one in (share, answers[0].sentences[0]))
    assert f"; {published}; primary result: {primary})." in line
    assert line.endswith(" Primary results are for new items and new raters.")
    assert share.holds == "counting each rating as independent"
    assert answers[0].sentences[0].holds == "for new items and new raters"


def test_three_point_headline_has_differences_and_percent_change(tmp_path: Path) -> None:
    effect = Effect(by_source(model_a=0.8, model_b=0.3), n_raters=18)
    answers, table = driven("three-point", tmp_path / "s", effect)
    found = [sentence for answer in answers for sentence in answer.sentences]
    assert [sentence.estimate.scope.get("source") for sentence in found] == ["model_a", "model_b"] * 2
    is_difference(found[0], table, "empathy", "model_a", "human")
    own = table[table["question"] == "empathy"]
    good = (own["value"].astype(float) >= 3).groupby(own["source"]).mean()
    percent = 100 * (good["model_a"] / good["human"] - 1)
    says(found[2], "ratings of 3 (Good) are #% more frequent for Model A than for Human", float(percent))
    counts = pd.crosstab(own["source"], own["value"])
    chi = float(chi2_contingency(counts, correction=False).statistic)
    (published,) = answers[0].published
    says(published, f"Empathy, all sources: χ²(4, N = {len(own)}) = #", chi)
    assert published_line(answers).startswith(f"As published. Chi-square test: Empathy χ²(4, N = {len(own)}) = ")


@pytest.mark.parametrize(
    ("name", "source", "reference", "questions"),
    [
        ("empathetic-dialogues", "generation", "person", ("empathy", "relevance", "fluency")),
        ("epitome", "model", "peer", ("emotional_reactions", "interpretations", "explorations")),
        ("expert-panel", "model_guided", "peer", ("alignment", "empathy")),
        ("warmth-reliability", "model_warm", "model_plain", ("warmth", "correctness")),
    ],
)
def test_rating_study_headline_has_difference_per_question(
    tmp_path: Path, name: str, source: str, reference: str, questions: tuple[str, ...]
) -> None:
    found, table = drive(name, tmp_path / "s", Effect(by_source(**{source: 0.8}), code=right_by(0.8), middle=0.3))
    for question in questions:
        of = [one for one in found if one.estimate.measured == question]
        of = [one for one in of if one.estimate.scope["reference"] == reference]
        (sentence,) = [one for one in of if one.estimate.scope["source"] == source]
        is_difference(sentence, table, question, source, reference)


def test_warmth_reliability_headline_has_accuracy(tmp_path: Path) -> None:
    found, _ = drive("warmth-reliability", tmp_path / "s", Effect(by_source(), code=right_by(1.0)))
    assert "100.0% of answers are correct (Model, warm prompt only)" in found[-1].claim


def test_ab_tie_headline_has_share_with_ties_as_half(tmp_path: Path) -> None:
    found, table = drive("ab-tie", tmp_path / "s", Effect(by_source(commonsense=1.2)))
    own = table[table["question"] == "empathy"]
    of_two = own[
        own["left_response"].str.contains("baseline|commonsense") & ~own["left_response"].str.contains("person")
    ]
    of_two = of_two[~of_two["right_response"].str.contains("person")]
    won = of_two["value"].map(lambda value: 0.5 if value == "tie" else float(value.endswith(":commonsense")))
    (sentence,) = [one for one in found if "Empathy: Commonsense model" in one.claim]
    shares = (f"{(won == worth).mean():.1%}" for worth in (1.0, 0.5, 0.0))
    told = "won {}, tied {}, lost {}".format(*shares)
    assert f"is preferred over Baseline model in {won.mean():.1%} of choices ({told})" in sentence.claim


def test_expert_panel_headline_has_guided_minus_plain_prompt(tmp_path: Path) -> None:
    effect = Effect(by_source(model_guided=1.6, model_plain=0.4), code=right_by(0.8), middle=0.3)
    found, table = drive("expert-panel", tmp_path / "s", effect)
    is_difference(found[0], table, "alignment", "model_guided", "model_plain", truth=1.2)


@pytest.mark.parametrize(
    ("name", "source", "label"),
    [("four-dimensions", "model_a", "Empathy: Model A"), ("perceived-empathy", "model", "Perceived empathy: Model")],
)
def test_composite_headline_has_its_difference(tmp_path: Path, name: str, source: str, label: str) -> None:
    found, table = drive(name, tmp_path / "s", Effect(by_source(**{source: 0.8})))
    whole = means(table.assign(question="all"), "all")
    says(found[0], f"{label} is rated # points higher than Person", whole[source] - whole["person"])
    covers(found[0], 0.8)


def test_lend_an_ear_headline_reverses_and_reports_agreement(tmp_path: Path) -> None:
    bad = {"advice_giving", "self_oriented", "dismissing_emotions"}

    def lean(question: str, seen: Seen) -> float:
        return (-0.7 if question in bad else 0.7) * (seen.source == "model")

    found, _ = drive("lend-an-ear", tmp_path / "s", Effect(lean))
    assert "Model is rated 0." in found[0].claim
    covers(found[0], 0.7)
    assert found[1].claim.startswith("Listening: Krippendorff's alpha")
    assert "3 raters" in found[1].counts


def test_label_experiment_headline_has_label_effect(tmp_path: Path) -> None:
    found, table = drive(
        "label-experiment", tmp_path / "s", Effect(lambda _, seen: 0.9 * ("person" in seen.shown_label))
    )
    own = means(table, "empathy", "shown_label")
    gap = own["Written by a person"] - own["Written by an AI"]
    says(found[0], 'ratings are # points lower with "Written by an AI" than with "Written by a person"', gap)
    covers(found[0], -0.9)


def test_perspective_taking_headline_has_instruction_effects(tmp_path: Path) -> None:
    effect = Effect(lambda _, seen: 0.9 * (seen.condition.get("reading") == "imagine_other"), n_raters=15)
    found, _ = drive("perspective-taking", tmp_path / "s", effect)
    of_self, of_other = found
    assert 'with "Imagine self" than with "Observer"' in of_self.claim
    assert 'points higher with "Imagine other" than with "Observer"' in of_other.claim
    covers(of_other, 0.9)


def test_character_knowledge_headline_has_profile_effect(tmp_path: Path) -> None:
    found, table = drive("character-knowledge", tmp_path / "s", Effect(lambda _, seen: 0.9 * _is_shown(seen)))
    own = means(table, "fit", "condition")
    gap = own["profile=shown"] - own["profile=hidden"]
    says(found[0], 'ratings are # points higher with "shown" than with "hidden"', gap)
    assert "the difference Model minus Person is" in found[1].claim


def _is_shown(seen: Seen) -> bool:
    return seen.condition.get("profile") == "shown"
