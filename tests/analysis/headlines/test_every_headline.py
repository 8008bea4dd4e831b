"""Each template, from ratings with a known effect to the sentence that reports it, as its paper does first."""

from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import chi2_contingency

from app.analysis.report.sentences import level_text, published_line, published_tests
from app.analysis.report.sentences import test_of as name_of_test
from app.analysis.wording.formatting import generalizes_text, statistic_text
from app.studies.folder.study_templates import list_templates
from tests.analysis.headlines.driven import by_source, covers, drive, driven, is_difference, means, right_by, says
from tests.analysis.headlines.simulated_ratings import Effect, Seen
from tests.kit.templates import template_study
from tests.kit.told import told

NAMES = [template.name for template in list_templates()]


@pytest.mark.parametrize("name", NAMES)
def test_every_template_has_primary_contrasts_and_known_raters(name: str) -> None:
    protocol = template_study(name).protocol
    assert protocol.analysis.primary
    assert protocol.raters.identity == "known"


def test_ayers_pair_headline_has_preference_then_differences(tmp_path: Path) -> None:
    found, table = drive("ayers-pair", tmp_path / "s", Effect(by_source(chatbot=1.0)))
    choices = table[table["question"] == "preference"]
    share = float(choices["value"].str.endswith(":chatbot").mean())
    assert found[0].said.startswith(f"Chatbot was preferred over Physician ({share:.1%} of choices, 95% CI ")
    for sentence, question in zip(found[1:], ("quality", "empathy"), strict=True):
        is_difference(sentence, table, question, "chatbot", "physician", truth=1.0)
        assert sentence.test == "t test with two-way clustering by items and raters"
        assert sentence.estimate.inference == "items_and_raters"
        assert sentence.estimate.p_adjusted is not None


def test_ayers_pair_has_the_published_tests_beside_the_primary_results(tmp_path: Path) -> None:
    """Wilson's interval of the choices and the unpaired t tests, adjusted as exploratory ones."""
    report, protocol, _ = driven("ayers-pair", tmp_path / "s", Effect(by_source(chatbot=1.0)))
    share, *tests = [one for result in report.primary for one in published_tests(result, report, protocol)]
    assert share.method.startswith("wilson_cc")
    (mine,) = report.primary[0].estimates
    assert share.estimate == mine.estimate
    for one in tests:
        assert name_of_test(one) == "unpaired t test on item means"
        assert statistic_text(one).startswith("t(10) = ")
        assert one.p_adjusted is not None
        assert one.role == "exploratory"
    line = published_line(report, protocol)
    assert line.startswith("As published. Wilson interval with continuity correction, counting each rating as indep")
    assert "Unpaired t test on item means, for new items rated by these raters: Quality of information t(10) = " in line
    assert f"; {level_text(share)}; primary result: {level_text(mine)})." in line
    assert line.endswith(" Primary results are for new items and new raters.")
    assert line.count(", adjusted p ") == len(tests)
    assert generalizes_text([share]) == "counting each rating as independent"
    assert generalizes_text([mine]) == "for new items and new raters"


def test_three_point_headline_has_differences_and_percent_change(tmp_path: Path) -> None:
    effect = Effect(by_source(model_a=1.2, model_b=0.3), n_raters=18, copies=4)
    report, protocol, table = driven("three-point", tmp_path / "s", effect)
    found = [one for contrast in told(report, protocol) for one in contrast]
    assert [one.estimate.scope.get("source") for one in found] == ["model_a", "model_b"] * 2
    is_difference(found[0], table, "empathy", "model_a", "human", truth=1.0)
    own = table[table["question"] == "empathy"]
    good = (own["value"].astype(float) >= 3).groupby(own["source"]).mean()
    percent = 100 * (good["model_a"] / good["human"] - 1)
    assert "Model A was rated 3 (Good) more often than Human on Empathy (" in found[2].said
    assert found[2].shown.estimate == pytest.approx(float(percent))
    counts = pd.crosstab(own["source"], own["value"])
    chi = float(chi2_contingency(counts, correction=False).statistic)
    line = published_line(report, protocol)
    assert line.startswith(f"As published. Chi-square test: Empathy χ²(4, N = {len(own)}) = {chi:.2f} (p ")


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
    assert "100.0% of answers were correct on Contains an error for Model, warm prompt" in found[-1].said


def test_ab_tie_headline_has_share_with_ties_as_half(tmp_path: Path) -> None:
    found, table = drive("ab-tie", tmp_path / "s", Effect(by_source(commonsense=1.2)))
    own = table[table["question"] == "empathy"]
    of_two = own[
        own["left_response"].str.contains("baseline|commonsense") & ~own["left_response"].str.contains("person")
    ]
    of_two = of_two[~of_two["right_response"].str.contains("person")]
    won = of_two["value"].map(lambda value: 0.5 if value == "tie" else float(value.endswith(":commonsense")))
    pair = ("empathy", {"source": "commonsense", "reference": "baseline"})
    (one,) = [one for one in found if (one.estimate.question, one.estimate.scope) == pair]
    assert "Commonsense model was preferred over Baseline model on Empathy (" in one.said
    assert f"{won.mean():.1%} of choices, 95% CI " in one.said
    assert "ties count as half" in one.said


def test_expert_panel_headline_has_guided_minus_plain_prompt(tmp_path: Path) -> None:
    effect = Effect(by_source(model_guided=1.6, model_plain=0.4), code=right_by(0.8), middle=0.3)
    found, table = drive("expert-panel", tmp_path / "s", effect)
    is_difference(found[0], table, "alignment", "model_guided", "model_plain", truth=1.2)


@pytest.mark.parametrize(
    ("name", "source", "label"),
    [("four-dimensions", "model_a", "on Empathy"), ("perceived-empathy", "model", "on Perceived empathy")],
)
def test_composite_headline_has_its_difference(tmp_path: Path, name: str, source: str, label: str) -> None:
    found, table = drive(name, tmp_path / "s", Effect(by_source(**{source: 0.8})))
    whole = means(table.assign(question="all"), "all")
    assert f"rated higher than Person {label} (" in found[0].said
    says(found[0], "#, 95% CI", whole[source] - whole["person"])
    covers(found[0], 0.8)


def test_lend_an_ear_headline_reverses_and_reports_agreement(tmp_path: Path) -> None:
    bad = {"advice_giving", "self_oriented", "dismissing_emotions"}

    def lean(question: str, seen: Seen) -> float:
        return (-0.7 if question in bad else 0.7) * (seen.source == "model")

    found, _ = drive("lend-an-ear", tmp_path / "s", Effect(lean))
    assert found[0].said.startswith("Model was rated higher than Person on Listening (+0.")
    covers(found[0], 0.7)
    assert found[1].said.startswith(
        "Agreement on Listening among raters of the pool Experts was Krippendorff's alpha = "
    )
    assert "; 3 raters, " in found[1].said


def test_label_experiment_headline_has_label_effect(tmp_path: Path) -> None:
    found, table = drive(
        "label-experiment", tmp_path / "s", Effect(lambda _, seen: 0.9 * ("person" in seen.shown_label))
    )
    own = means(table, "empathy", "shown_label")
    gap = own["Written by an AI"] - own["Written by a person"]
    says(found[0], "lower with “Written by an AI” than with “Written by a person” (Shown label; #, 95% CI", gap)
    covers(found[0], -0.9)


def test_perspective_taking_headline_has_instruction_effects(tmp_path: Path) -> None:
    effect = Effect(lambda _, seen: 0.9 * (seen.condition.get("reading") == "imagine_other"), n_raters=15)
    found, _ = drive("perspective-taking", tmp_path / "s", effect)
    of_self, of_other = found
    assert "“Imagine self” did not differ clearly from those with “Observer”" in of_self.said
    assert "were higher with “Imagine other” than with “Observer”" in of_other.said
    covers(of_other, 0.9)


def test_character_knowledge_headline_has_profile_effect(tmp_path: Path) -> None:
    found, table = drive("character-knowledge", tmp_path / "s", Effect(lambda _, seen: 0.9 * _is_shown(seen), copies=2))
    own = means(table, "fit", "condition")
    gap = own["profile=shown"] - own["profile=hidden"]
    says(found[0], "were higher with “shown” than with “hidden” (Profile; #, 95% CI", gap)
    assert found[1].said.startswith("The difference Model minus Person on Fit to the person ")


def _is_shown(seen: Seen) -> bool:
    return seen.condition.get("profile") == "shown"
