"""The headlines of templates about turns, codes, pools, scores, rankings, highlights and changes."""

import re
from pathlib import Path
from random import Random

import pandas as pd
from sklearn.metrics import accuracy_score, f1_score

from tests.analysis.headlines.driven import by_source, covers, drive, right_by, says
from tests.analysis.headlines.simulated_ratings import Effect, Seen


def test_dialogue_trajectory_headline_has_slope_difference(tmp_path: Path) -> None:
    effect = Effect(lambda _, seen: 0.25 * seen.turn * (seen.source == "model"), middle=0.4, copies=3)
    found, _ = drive("dialogue-trajectory", tmp_path / "s", effect)
    assert re.search(r"rose more, or fell less, for Model than for Person \(\+0\.\d\d per turn, ", found[0].said)
    covers(found[0], 0.25)


def test_behaviours_headline_has_difference_per_behaviour(tmp_path: Path) -> None:
    def code(question: str, seen: Seen, rng: Random) -> str:
        if question == "moral":
            return "none"
        return "advises" if rng.random() < (0.7 if seen.source == "model_a" else 0.3) else "asks"

    found, table = drive("behaviours", tmp_path / "s", Effect(by_source(), code=code))
    own = table[table["question"] == "behaviours"]
    share = (own["value"] == "advises").groupby(own["source"]).mean()
    points = 100 * (share["model_a"] - share["counsellor"])
    of_advice = {"source": "model_a", "category": "advises"}
    (one,) = [one for one in found if of_advice.items() <= one.estimate.scope.items()]
    assert "given Behaviours: Gives advice or plans next steps more often than Counsellor (" in one.said
    says(one, "# percentage points, 95% CI", points)
    covers(one, 0.4)


def test_theory_of_mind_headline_has_models_minus_people_and_altered_minus_standard(tmp_path: Path) -> None:
    """Each of five models runs twice: it counts as one rater."""

    def code(question: str, seen: Seen, rng: Random) -> str:
        is_altered = seen.kind == "model" and seen.item["version"] == "altered"
        return right_by(0.4 if is_altered else 0.9)(question, seen, rng)

    found, table = drive("theory-of-mind", tmp_path / "s", Effect(by_source(), code=code, models=2))
    items = pd.read_csv(tmp_path / "s" / "items.csv").set_index("item")
    own = table[table["question"] == "belief"]
    is_right = pd.Series(own["value"].to_numpy() == items["belief_key"].loc[own["item"]].to_numpy(), own.index)
    is_model = own["rater"].str.startswith("model")
    gap = 100 * float(is_right[~is_model].mean() - is_right[is_model].mean())
    assert found[0].said.startswith("Answers by models on Belief were correct less often than those by people (")
    says(found[0], "(# percentage points, 95% CI", -gap)
    covers(found[0], -0.25)
    assert "; 17 raters, " in found[0].said
    altered = pd.Series(items["version"].loc[own["item"]].to_numpy() == "altered", own.index)[is_model]
    fall = 100 * float(is_right[is_model][~altered].mean() - is_right[is_model][altered].mean())
    assert "by models were correct less often with “altered” than with “standard” (" in found[2].said
    says(found[2], "; # percentage points, 95% CI", -fall)
    covers(found[2], -0.5)


def test_recipient_headline_has_difference_between_pools(tmp_path: Path) -> None:
    found, _ = drive(
        "recipient", tmp_path / "s", Effect(lambda _, seen: 0.9 * (seen.pool == "recipient"), models=1, copies=4)
    )
    assert found[0].said.startswith("On the same responses, ratings by Recipients were higher than those by Crowd on ")
    covers(found[0], 0.9, either_sign=True)


def test_rater_scales_headline_has_slope_on_score(tmp_path: Path) -> None:
    def lean(question: str, seen: Seen) -> float:
        concern = (seen.rater % 5 - 2) / 2 + 1.6 * (seen.kind == "model")
        return concern * (-1 if question in TURNED else 1) if not seen.source else concern

    found, table = drive("rater-scales", tmp_path / "s", Effect(lean, n_raters=40, models=1))
    assert found[0].said.startswith("Ratings of Person and Model on Empathy were higher with higher Empathic concern (")
    slopes, scores = found[:-3], found[-3:-1]
    assert all((sentence.estimate.estimate or 0) > 0.4 for sentence in slopes)
    for sentence, asked in zip(scores, (PERSPECTIVE, CONCERN), strict=True):
        own = table[table["question"].isin(asked)]
        turned = own["question"].isin(TURNED)
        score = own["value"].astype(float).where(~turned, 6 - own["value"].astype(float))
        of = score.groupby(own["rater"].str.startswith("model")).mean()
        says(sentence, " was higher for models than for people (#, 95% CI", float(of[True] - of[False]))
        covers(sentence, 1.6)
        assert "; 45 raters" in sentence.said
        assert "runs of one" in sentence.estimate.note


def test_responder_level_headline_has_difference_for_new_items_and_responders(tmp_path: Path) -> None:
    found, _ = drive("responder-level", tmp_path / "s", Effect(by_source(model=2.0), middle=0.2))
    assert found[0].said.startswith("Model was rated higher than Psychotherapist on Empathy (+")
    assert found[0].holds == "for new items and new responders"
    assert found[0].test == "min F' test by items and responders (CR2)"
    assert found[0].estimate.n_units == 6
    covers(found[0], 2.0)


def test_ranking_headline_has_share_ranked_above_person(tmp_path: Path) -> None:
    found, table = drive("ranking", tmp_path / "s", Effect(by_source(model_long=1.5)))
    rank = table.pivot_table(index=["rater", "item"], columns="source", values="value", aggfunc="first").astype(float)
    above = (rank["model_long"] < rank["person"]) + 0.5 * (rank["model_long"] == rank["person"])
    (one,) = [one for one in found if one.estimate.scope["source"] == "model_long"]
    assert f"Model, long replies {above.mean():.1%} of rankings, 95% CI " in one.said


def test_refusal_by_turn_headline_has_slope_and_harm_difference(tmp_path: Path) -> None:
    def code(_question: str, seen: Seen, rng: Random) -> str:
        return "yes" if rng.random() < (0.6 if seen.source == "model_plain" else 0.2) else "no"

    effect = Effect(lambda _, seen: 0.4 * seen.turn * (seen.source == "model_plain"), code=code)
    found, table = drive("refusal-by-turn", tmp_path / "s", effect)
    assert "rose less, or fell more, for Model, guarded prompt than for Model, plain prompt (" in found[0].said
    covers(found[0], -0.4)
    (harm,) = [one for one in found if one.estimate.scope.get("category") == "yes"]
    own = table[table["question"] == "harmful"]
    share = (own["value"] == "yes").groupby(own["source"]).mean()
    gap = 100 * float(share["model_plain"] - share["model_guarded"])
    assert harm.said.startswith(
        "Model, guarded prompt was given Could be harmful: Yes less often than Model, plain prompt ("
    )
    says(harm, "(# percentage points, 95% CI", -gap)


def test_emotion_recognition_headline_has_models_minus_people(tmp_path: Path) -> None:
    def code(_question: str, seen: Seen, rng: Random) -> str:
        right = seen.item["emotion"]
        is_right = rng.random() < (0.4 if seen.kind == "model" else 0.8)
        return right if is_right else rng.choice([one for one in EMOTIONS if one != right])

    found, table = drive("emotion-recognition", tmp_path / "s", Effect(by_source(), code=code, models=1, copies=4))
    own = table[table["question"] == "emotion"]
    items = pd.read_csv(tmp_path / "s" / "items.csv").set_index("item")["emotion"]
    of = dict(iter(own.groupby(own["rater"].str.startswith("model"))))
    keys = {side: items.loc[part["item"]].to_numpy() for side, part in of.items()}
    f1, right = (
        {side: score(keys[side], part["value"].to_numpy()) for side, part in of.items()}
        for score in (lambda key, given: f1_score(key, given, average="macro"), accuracy_score)
    )
    assert " matched the key less well than those by people (" in found[0].said
    says(found[0], "(# percentage points, 95% CI", 100 * (f1[True] - f1[False]))
    covers(found[0], -0.4)
    assert " were correct less often than those by people (" in found[1].said
    says(found[1], "(# percentage points, 95% CI", 100 * (right[True] - right[False]))
    covers(found[1], -0.4)


PERSPECTIVE = ("other_side", "their_shoes", "sure_of_myself", "first_imagine")
CONCERN = ("soft_hearted", "tender", "not_disturbed", "protective")
TURNED = {"sure_of_myself", "not_disturbed"}
EMOTIONS = ("joy", "relief", "sadness", "anger", "fear", "shame")


def test_emotion_cause_headline_has_models_minus_people_and_alpha(tmp_path: Path) -> None:
    """People mark what the key marks, models half of it: their F1 is two thirds."""

    def span(_question: str, seen: Seen, _rng: Random) -> str:
        begin, end = map(int, seen.item["cause_key"].partition("|")[0].split("-"))
        return f"{begin}-{(begin + end) // 2}" if seen.kind == "model" else seen.item["cause_key"]

    found, _ = drive("emotion-cause", tmp_path / "s", Effect(by_source(), span=span, models=2))
    items = pd.read_csv(tmp_path / "s" / "items.csv")
    marks = [[tuple(map(int, one.split("-"))) for one in key.split("|")] for key in items["cause_key"]]
    key = sum(end - begin for one in marks for begin, end in one)
    hits = sum((begin + end) // 2 - begin for (begin, end), *_ in marks)
    gap = 100 * (1 - 2 * hits / (hits + key))
    assert " matched the key less well than those by people (" in found[0].said
    says(found[0], "(# percentage points", -gap)
    assert "was Krippendorff's alpha of marked characters = 1.00 (" in found[1].said


def test_empathic_accuracy_headline_has_mean_correlation(tmp_path: Path) -> None:
    felt = (0, -25, 25, 10, 35)
    found, _ = drive("empathic-accuracy", tmp_path / "s", Effect(lambda _, seen: felt[seen.turn - 1], models=1))
    assert re.search(r"correlated with the targets' own ratings at r = 0\.[6-9]\d on average \(", found[-1].said)
    assert found[-1].said.endswith(" items).")


def test_before_after_headline_has_difference_in_change(tmp_path: Path) -> None:
    def lean(question: str, seen: Seen) -> float:
        return 12.0 * (seen.rater % 2) if question == "mood_after" else 0.0

    found, _ = drive("before-after", tmp_path / "s", Effect(lean, n_raters=24))
    told_so = "At the same score before, Mood was higher afterwards with “Model” than with “Person” (Source of the "
    assert found[0].said.startswith(told_so)
    assert found[0].test == "analysis of covariance"
    covers(found[0], 12.0)


def test_bias_audit_headline_has_difference_between_versions_of_a_message(tmp_path: Path) -> None:
    def lean(_question: str, seen: Seen) -> float:
        return -0.9 * (seen.source == "model" and seen.item["group"] == "minority")

    found, table = drive("bias-audit", tmp_path / "s", Effect(lean, code=lambda _q, _s, rng: rng.choice(["yes", "no"])))
    own = table[(table["question"] == "empathy") & (table["source"] == "model")]
    mean = own["value"].astype(float).groupby(own["item"].str.endswith("minority")).mean()
    of_model, of_peer = found
    assert " for Model were lower with “minority” than with “majority” (" in of_model.said
    says(of_model, "; #, 95% CI", mean[True] - mean[False])
    covers(of_model, -0.9)
    covers(of_peer, 0.0)


def test_emotion_change_headline_has_change_of_models_minus_that_of_people(tmp_path: Path) -> None:
    def lean(question: str, seen: Seen) -> float:
        is_negative = question.partition("_")[0] in {"upset", "hostile", "irritable"}
        rise = 0.4 if seen.kind == "model" else 1.8
        return rise * (is_negative and question.endswith("after"))

    found, table = drive("emotion-change", tmp_path / "s", Effect(lean, n_raters=40, models=1, middle=0.3, seed=5))
    own = table[table["question"].str.contains("upset|hostile|irritable")]
    sides = [own["rater"].str.startswith("model"), own["question"].str.endswith("after")]
    mean = own["value"].astype(float).groupby(sides).mean()
    gap = (mean[False, True] - mean[False, False]) - (mean[True, True] - mean[True, False])
    says(found[0], "rose less, or fell more, for models than for people (#, 95% CI", -gap)
    covers(found[0], -1.4)
    covers(found[1], 0.0)
    assert "; 45 raters" in found[0].said
    assert found[2].said.startswith("Negative was higher after than before (+")


def test_conjoint_headline_has_attribute_effects(tmp_path: Path) -> None:
    def lean(_question: str, seen: Seen) -> float:
        return 1.0 * seen.source.startswith("accurate") + 0.4 * seen.source.endswith("warm")

    found, table = drive("conjoint", tmp_path / "s", Effect(lean))
    own = table[table["question"] == "preference"]
    sides = pd.concat([own["left_response"], own["right_response"]]).reset_index(drop=True)
    chosen = (sides == pd.concat([own["value"], own["value"]]).reset_index(drop=True)).astype(float)
    accurate = sides.str.contains(":accurate")
    gap = 100 * float(chosen[accurate].mean() - chosen[~accurate].mean())
    assert found[0].said.startswith("Responses with “inaccurate” were chosen less often than those with “accurate” (")
    says(found[0], "(Accuracy; # percentage points, 95% CI", -gap)
    assert "“warm” were chosen more often than those with “cool” (Warmth; " in found[1].said
    assert found[0].said.endswith("12 raters, 4 items).")
    assert found[0].estimate.n_ratings == len(own)
