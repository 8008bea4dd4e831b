"""Every template from its folder to its estimates: loaded, opened, rated with the real code, analysed, exported."""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from sqlalchemy import Connection

from app.analysis.data.study_folder import StudyFolder
from app.analysis.report.report import Report
from app.analysis.statistic import statistics
from app.rating.life_cycle import open_study
from app.studies.creation.templates import new_study
from app.studies.folder.read import read_folder
from app.studies.folder.study_templates import list_templates, template_folder
from app.studies.load import load_study
from app.studies.studies import get_study
from tests.kit.raters import rate_until_full
from tests.kit.study_report import report_of_study
from tests.kit.templates import RATED_IN_GATE, every_template

ORDINAL = "krippendorff_alpha_ordinal"
NOMINAL = "krippendorff_alpha_nominal"
RATED = {"mean", "sd", "mean_difference", ORDINAL}
QUADRATIC = {*RATED, "cohen_kappa_quadratic"}
CUT = {"t_paired", "t_unpaired", "share_at_least", "share_at_least_ratio"}
VOTED = {"share_preferred", "win_share", "tie_share", "lose_share", "fleiss_kappa", "bt_strength", NOMINAL}

# For each template, the estimates that the original study reported, by question; a key without a statistic is required
# as soon as there is one.
ESTIMATES: dict[str, dict[str, set[str]]] = {
    "ayers-pair": {"preference": {"share_preferred", NOMINAL}, "quality": RATED | CUT, "empathy": RATED | CUT},
    "three-point": {"empathy": {"mean", "mean_difference", "share_at_least", "chi_square"}},
    "empathetic-dialogues": dict.fromkeys(("empathy", "relevance", "fluency"), QUADRATIC),
    "epitome": dict.fromkeys(("emotional_reactions", "interpretations", "explorations"), QUADRATIC),
    "ab-tie": dict.fromkeys(("coherence", "empathy", "informativeness"), VOTED),
    "four-dimensions": {
        **dict.fromkeys(
            ("emotional_understanding", "emotional_response", "contextual_adaptation", "language_naturalness"),
            RATED | {"share_at_least"},
        ),
    },
    "perceived-empathy": dict.fromkeys(("understood", "cared_for", "motivation"), RATED),
    "lend-an-ear": dict.fromkeys(("validating_emotions", "advice_giving", "dismissing_emotions"), QUADRATIC),
    "expert-panel": {"alignment": RATED, "empathy": RATED},
    "label-experiment": {"empathy": RATED, "felt_heard": RATED, "believed_source": {"dprime"}},
    "perspective-taking": dict.fromkeys(
        ("affective_matching", "other_oriented_perspective", "self_other_differentiation"), RATED
    ),
    "character-knowledge": {"fit": RATED | {"share_at_least"}, "push_or_comfort": RATED},
    "dialogue-trajectory": {"met_now": {"mean"}, "met_whole": RATED},
    "warmth-reliability": {"warmth": RATED | {"share_at_least"}, "correctness": RATED},
    "behaviours": {},
    "theory-of-mind": {},
    "recipient": {"preference": {"share_preferred", "tie_share"}, "understood": RATED, "cared_for": RATED},
    "rater-scales": {"empathy": RATED},
    "responder-level": {"empathy": RATED, "helpfulness": RATED},
    "conjoint": {"preference": {"amce", "share_preferred"}, "trust": RATED},
    "empathic-accuracy": {"affect": {"empathic_accuracy"}},
    "refusal-by-turn": {"compliance": {"turn_slope_difference"}, "warmth": RATED},
    "emotion-cause": {"cause": {"span_f1", "span_alpha"}},
    "before-after": {"mood_after": {"change_difference"}, "comforting": RATED},
    "emotion-recognition": {"emotion": {"accuracy_share", "f1_macro", NOMINAL}},
    "bias-audit": {"empathy": {*RATED, "item_attribute_effect"}},
    "emotion-change": {"imagined": {"mean", ORDINAL}},
    "written-with-ai": {"more_empathetic": VOTED, "emotional_reactions": RATED},
    "several-models": {"empathy": RATED},
    "reasoning-models": {"empathy": {*RATED, "attribute_effect"}},
    "suggestions": {},
    "venting": {},
    "empathic-dyads": {"inferred": {"empathic_accuracy"}, "sure": {"mean"}},
    "follow-up": {},
    "empathy-scale": {"goals": {"mean", "sd", "mean_difference"}},
    "case-heard": {"preference": {"amce", "trade_off"}, "fair": RATED},
    "ranking": {"empathy_rank": {"mean_rank", "kendall_w_within_items", "share_preferred"}},
}


def keys_of(report: Report, question: str, source: str | None = None) -> set[str]:
    """The statistics of a question, all of them or those for one source."""
    return {
        estimate.statistic
        for estimate in report.estimates
        if estimate.measured == question and (source is None or estimate.scope.get("source") == source)
    }


def known(keys: Iterable[str]) -> set[str]:
    return set(keys) & set(statistics())


def with_few_raters(name: str, folder: Path) -> StudyFolder:
    """The template with at most four raters per trial: more of them only fill more of the same seats."""
    shutil.copytree(template_folder(name), folder)
    yaml = (folder / "study.yaml").read_text(encoding="utf-8")
    few = re.sub(r"(?<=raters_per_trial: )\d+", lambda found: str(min(4, int(found[0]))), yaml)
    (folder / "study.yaml").write_text(few, encoding="utf-8")
    return read_folder(folder)


def test_every_template_is_covered() -> None:
    assert set(ESTIMATES) == {template.name for template in list_templates()}


@pytest.mark.parametrize("name", every_template(in_gate=RATED_IN_GATE))
def test_template_is_loaded_rated_and_analysed(
    db: Connection, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # as in a large study, which leaves out mixed models, a third of the time here
    monkeypatch.setattr("app.analysis.data.question_data.MAX_RATINGS", 0)
    monkeypatch.setattr("app.analysis.sections.specifications.DEPARTURES_OF_MODELS", {})
    load_study(db, with_few_raters(name, tmp_path / name))
    open_study(db, name)
    assert rate_until_full(db, name) >= 2
    study = get_study(db, name)
    assert study
    report, protocol = report_of_study(db, study)
    for question, keys in ESTIMATES[name].items():
        assert known(keys) <= keys_of(report, question), question
        compared = {"mean", ORDINAL} & known(keys)
        about = protocol.question(question)
        assert about
        for source in protocol.sources if about.target == "response" else ():
            assert compared <= keys_of(report, question, source), (question, source)
    assert all(estimate.estimate is not None or estimate.reason for estimate in report.estimates)


def test_one_rating_per_response_has_no_agreement_with_reason(db: Connection, tmp_path: Path) -> None:
    folder = new_study("ayers-pair", tmp_path / "s", "s", "T")
    yaml = (folder / "study.yaml").read_text()
    (folder / "study.yaml").write_text(yaml.replace("raters_per_trial: 3", "raters_per_trial: 1"))
    load_study(db, read_folder(folder))
    open_study(db, "s")
    rate_until_full(db, "s")
    study = get_study(db, "s")
    assert study
    report, _ = report_of_study(db, study)
    agreement = [estimate for estimate in report.of("agreement", "quality") if estimate.statistic == ORDINAL]
    assert agreement
    assert all(estimate.estimate is None and estimate.reason == "no_pairable_units" for estimate in agreement)
