"""Each template, from ratings with a known effect to the sentence that reports it, as its paper does first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from scipy.stats import chi2_contingency

from app.actions.studies.creation.templates import list_templates, template_folder
from app.analysis import analyze_primary
from app.analysis.data.study_folder import frames_of
from app.analysis.report.sentences import primary_answers
from app.exchange.folder.read import read_folder
from tests.analysis.headlines.simulated_ratings import Effect, Seen, simulate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from app.analysis.report.sentences import Sentence

NAMES = [template.name for template in list_templates()]


def by_source(**points: float) -> Callable[[str, Seen], float]:
    """Return a `lean` that adds these points for each source, on every question about responses."""
    return lambda _question, seen: points.get(seen.source, 0.0)


def drive(name: str, folder: Path, effect: Effect) -> tuple[list[Sentence], pd.DataFrame]:
    """Return the sentences of the primary contrasts, and the answers that they are computed from."""
    rows = simulate(name, folder, effect)
    study = read_folder(folder)
    report = analyze_primary(frames_of(study), study.protocol)
    answers = primary_answers(report, study.protocol)
    assert [answer.result.is_declared for answer in answers] == [True] * len(answers)
    sentences = [sentence for answer in answers for sentence in answer.sentences]
    assert all(answer.sentences for answer in answers), [answer.result.contrast for answer in answers]
    table = pd.DataFrame(rows)
    table["source"] = table.get("response", pd.Series("", table.index)).fillna("").str.rpartition(":")[2]
    return sentences, table


def means(table: pd.DataFrame, question: str, by: str = "source") -> dict[str, float]:
    """Return the mean of each source, condition or label, computed independently of the report."""
    own = table[table["question"] == question]
    return {str(key): float(value) for key, value in own["value"].astype(float).groupby(own[by]).mean().items()}


def says(sentence: Sentence, pattern: str, value: float) -> None:
    """Assert that the claim contains `pattern` with `value` in place of `#`, to the printed precision."""
    words = "(-?[0-9.]+)".join(re.escape(part) for part in pattern.split("#"))
    found = re.search(words, sentence.claim)
    assert found, sentence.claim
    decimals = len(found[1].partition(".")[2])
    assert abs(float(found[1]) - value) <= 0.5001 * 10**-decimals, (sentence.claim, value)


def covers(sentence: Sentence, truth: float, *, either_sign: bool = False) -> None:
    """Assert that the interval of the sentence contains the true effect."""
    estimate = sentence.estimate
    assert estimate.ci_low is not None, sentence.text
    assert estimate.ci_high is not None
    truths = (truth, -truth) if either_sign else (truth,)
    assert any(estimate.ci_low <= one <= estimate.ci_high for one in truths), sentence.text


def is_difference(
    sentence: Sentence, table: pd.DataFrame, question: str, source: str, reference: str, truth: float = 0.8
) -> None:
    """Assert that the sentence reports the difference of means in the file, with interval, test and counts."""
    own = means(table, question)
    says(sentence, "is rated # points higher than", own[source] - own[reference])
    assert sentence.interval.startswith("95% CI ")
    assert re.search(r"p [<=]", sentence.test)
    assert re.search(r"\d+ ratings, \d+ items, \d+ raters", sentence.counts)
    assert abs((own[source] - own[reference]) - truth) < 0.5


def right_by(share: float) -> Callable[[str, Seen, Random], str]:
    """Return a `code` that is correct with this probability, else the first other code; any code without a key."""

    def code(question: str, seen: Seen, rng: Random) -> str:
        keys = {
            "belief": ("belief_key", "abcd"),
            "emotion": ("emotion_key", ("disappointed", "hurt")),
            "verdict": ("true_verdict", ("no_error", "error")),
            "harm": ("", ("yes", "no")),
            "factuality": ("", ("no", "minor", "yes")),
        }
        column, codes = keys[question]
        right = {**seen.item, **seen.response}.get(column, codes[0])
        return right if rng.random() < share else next(one for one in codes if one != right)

    return code


@pytest.mark.parametrize("name", NAMES)
def test_every_template_has_primary_contrasts_and_known_raters(name: str) -> None:
    protocol = read_folder(template_folder(name)).protocol
    assert protocol.analysis.primary
    assert protocol.raters.identity == "known"


def test_ayers_pair_headline_has_preference_then_t_tests(tmp_path: Path) -> None:
    found, table = drive("ayers-pair", tmp_path / "s", Effect(by_source(chatbot=1.0)))
    choices = table[table["question"] == "preference"]
    share = float(choices["value"].str.endswith(":chatbot").mean())
    assert f"Chatbot is preferred over Physician in {share:.1%} of choices" in found[0].claim
    for sentence, question in zip(found[1:], ("quality", "empathy"), strict=True):
        is_difference(sentence, table, question, "chatbot", "physician", truth=1.0)
        assert "unpaired t test on item means, t = " in sentence.test
        assert "adjusted p" in sentence.test


def test_three_point_headline_has_chi_square_and_percent_change(tmp_path: Path) -> None:
    effect = Effect(by_source(model_a=0.8, model_b=0.3), n_raters=18)
    found, table = drive("three-point", tmp_path / "s", effect)
    assert [sentence.estimate.scope.get("source") for sentence in found] == [None, "model_a", "model_b"]
    own = table[table["question"] == "empathy"]
    good = (own["value"].astype(float) >= 3).groupby(own["source"]).mean()
    percent = 100 * (good["model_a"] / good["human"] - 1)
    says(found[1], "ratings of 3 or more are #% more frequent for Model A than for Human", float(percent))
    counts = pd.crosstab(own["source"], own["value"])
    says(found[0], "Empathy, all sources: Chi-square = #", float(chi2_contingency(counts, correction=False).statistic))


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
        of = [one for one in found if one.estimate.question == question]
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
    assert f"is preferred over Baseline model in {won.mean():.1%} of choices" in sentence.claim


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
    assert "the difference between Model and Person is" in found[1].claim


def _is_shown(seen: Seen) -> bool:
    return seen.condition.get("profile") == "shown"


def test_dialogue_trajectory_headline_has_slope_difference(tmp_path: Path) -> None:
    effect = Effect(lambda _, seen: 0.25 * seen.turn * (seen.source == "model"), middle=0.4)
    found, _ = drive("dialogue-trajectory", tmp_path / "s", effect)
    assert re.search(r"ratings of Model rise by 0\.\d\d points more per turn than those of Person", found[0].claim)
    covers(found[0], 0.25)


def test_behaviours_headline_has_difference_per_behaviour(tmp_path: Path) -> None:
    def code(_question: str, seen: Seen, rng: Random) -> str:
        return "advises" if rng.random() < (0.7 if seen.source == "model_a" else 0.3) else "asks"

    found, table = drive("behaviours", tmp_path / "s", Effect(by_source(), code=code))
    share = (table["value"] == "advises").groupby(table["source"]).mean()
    points = 100 * (share["model_a"] - share["counsellor"])
    wanted = f"Gives advice or plans next steps is chosen {points:.1f} percentage points more often for Model A"
    (sentence,) = [one for one in found if wanted in one.claim]
    covers(sentence, 0.4)


def test_theory_of_mind_headline_has_accuracy(tmp_path: Path) -> None:
    found, table = drive("theory-of-mind", tmp_path / "s", Effect(by_source(), code=right_by(0.75)))
    key = pd.read_csv(tmp_path / "s" / "items.csv").set_index("item")["belief_key"]
    own = table[table["question"] == "belief"]
    share = float((own["value"].to_numpy() == key.loc[own["item"]].to_numpy()).mean())
    assert f"{share:.1%} of answers are correct" in found[0].claim
    covers(found[0], 0.75)


def test_recipient_headline_has_difference_between_pools(tmp_path: Path) -> None:
    found, _ = drive("recipient", tmp_path / "s", Effect(lambda _, seen: 0.9 * (seen.pool == "recipient")))
    assert "on the same responses" in found[0].claim
    covers(found[0], 0.9, either_sign=True)


def test_rater_scales_headline_has_slope_on_score(tmp_path: Path) -> None:
    turned = {"not_disturbed"}

    def lean(question: str, seen: Seen) -> float:
        concern = (seen.rater % 5 - 2) / 2
        return concern * (-1 if question in turned else 1) if not seen.source else concern

    found, _ = drive("rater-scales", tmp_path / "s", Effect(lean, n_raters=20))
    assert re.search(r"points per unit of Empathic concern", found[0].claim)
    assert all((sentence.estimate.estimate or 0) > 0.4 for sentence in found)


def test_responder_level_headline_has_u_and_rank_biserial(tmp_path: Path) -> None:
    found, _ = drive("responder-level", tmp_path / "s", Effect(by_source(model=2.0), middle=0.2))
    assert "Model ranks higher than Psychotherapist, rank-biserial r = 1.00" in found[0].claim
    assert "Mann-Whitney test, U = " in found[0].test
    assert found[0].counts.endswith("6 responders")


def test_ranking_headline_has_share_ranked_above_person(tmp_path: Path) -> None:
    found, table = drive("ranking", tmp_path / "s", Effect(by_source(model_long=1.5)))
    rank = table.pivot_table(index=["rater", "item"], columns="source", values="value", aggfunc="first").astype(float)
    above = (rank["model_long"] < rank["person"]) + 0.5 * (rank["model_long"] == rank["person"])
    (sentence,) = [one for one in found if "Model, long replies" in one.claim]
    says(sentence, "Model, long replies is ranked above Person in #% of rankings", 100 * float(above.mean()))


def test_refusal_by_turn_headline_has_slope_and_harm_difference(tmp_path: Path) -> None:
    def code(_question: str, seen: Seen, rng: Random) -> str:
        return "yes" if rng.random() < (0.6 if seen.source == "model_plain" else 0.2) else "no"

    effect = Effect(lambda _, seen: 0.4 * seen.turn * (seen.source == "model_plain"), code=code)
    found, table = drive("refusal-by-turn", tmp_path / "s", effect)
    assert "ratings of Model, guarded prompt rise by" in found[0].claim
    assert "points less per turn than those of Model, plain prompt" in found[0].claim
    covers(found[0], -0.4)
    (harm,) = [one for one in found if one.estimate.scope.get("category") == "yes"]
    own = table[table["question"] == "harmful"]
    share = (own["value"] == "yes").groupby(own["source"]).mean()
    gap = 100 * float(share["model_plain"] - share["model_guarded"])
    says(harm, "Yes is chosen # percentage points less often for Model, guarded prompt", gap)


def test_emotion_recognition_headline_has_accuracy_and_macro_f1(tmp_path: Path) -> None:
    def code(_question: str, seen: Seen, rng: Random) -> str:
        return seen.item["emotion"] if rng.random() < 0.7 else rng.choice(EMOTIONS)

    found, table = drive("emotion-recognition", tmp_path / "s", Effect(by_source(), code=code))
    own = table[table["question"] == "emotion"]
    key = pd.read_csv(tmp_path / "s" / "items.csv").set_index("item")["emotion"].loc[own["item"]].to_numpy()
    given = own["value"].to_numpy()
    says(found[0], "#% of answers are correct", 100 * float((given == key).mean()))
    scores = [2 * sum((given == e) & (key == e)) / (sum(given == e) + sum(key == e)) for e in EMOTIONS]
    says(found[1], "Macro F1 against the key is #%", 100 * sum(scores) / len(scores))


EMOTIONS = ("joy", "relief", "sadness", "anger", "fear", "shame")


def test_emotion_cause_headline_has_f1_and_alpha(tmp_path: Path) -> None:
    def span(_question: str, seen: Seen, rng: Random) -> str:
        return seen.item["cause_key"] if rng.random() < 0.8 else "0-15"

    found, _ = drive("emotion-cause", tmp_path / "s", Effect(by_source(), span=span))
    assert "F1 of marked characters against the key is" in found[0].claim
    assert "Krippendorff's alpha of marked characters is" in found[1].claim
    exact, _ = drive(
        "emotion-cause", tmp_path / "t", Effect(by_source(), span=lambda _q, seen, _r: seen.item["cause_key"])
    )
    says(exact[0], "is #%", 100.0)
    says(exact[1], "is #", 1.0)


def test_empathic_accuracy_headline_has_mean_correlation(tmp_path: Path) -> None:
    felt = (0, -25, 25, 10, 35)
    found, _ = drive("empathic-accuracy", tmp_path / "s", Effect(lambda _, seen: felt[seen.turn - 1]))
    assert re.search(r"correlate with the target's own at r = 0\.[6-9]\d on average", found[0].claim)
    assert "items" in found[0].counts


def test_before_after_headline_has_difference_in_change(tmp_path: Path) -> None:
    def lean(question: str, seen: Seen) -> float:
        return 12.0 * (seen.rater % 2) if question == "mood_after" else 0.0

    found, _ = drive("before-after", tmp_path / "s", Effect(lean, n_raters=24))
    assert "Mood after, Source of the responses: " in found[0].claim
    assert "points higher with Model than with Person, at the same baseline score" in found[0].claim
    assert found[0].test.startswith("analysis of covariance, p ")
    covers(found[0], 12.0)


def test_conjoint_headline_has_attribute_effects(tmp_path: Path) -> None:
    def lean(_question: str, seen: Seen) -> float:
        return 1.0 * seen.source.startswith("accurate") + 0.4 * seen.source.endswith("warm")

    found, table = drive("conjoint", tmp_path / "s", Effect(lean))
    own = table[table["question"] == "preference"]
    sides = pd.concat([own["left_response"], own["right_response"]]).reset_index(drop=True)
    chosen = (sides == pd.concat([own["value"], own["value"]]).reset_index(drop=True)).astype(float)
    accurate = sides.str.contains(":accurate")
    gap = 100 * float(chosen[accurate].mean() - chosen[~accurate].mean())
    says(found[0], "responses are chosen # percentage points less often where Accuracy is inaccurate", gap)
    assert "more often where Warmth is warm rather than cool" in found[1].claim
    assert found[0].counts.startswith(f"{len(own)} choices, 4 items, 12 raters")
