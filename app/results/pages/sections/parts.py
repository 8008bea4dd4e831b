"""The sections of the results, and which estimates each of them contains."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.analysis.estimate import Estimate
from app.analysis.statistic import declared
from app.protocol.study import Protocol

SUMMARY, PLAN = "summary", "plan"
BY_SECTION = {
    "distribution": "comparison",
    "comparison": "comparison",
    "composite": "comparison",
    "dimension": "comparison",
    "choice": "preference",
    "ranking": "preference",
    "category": "codes",
    "belief": "conditions",
    "text": "text",
    "agreement": "agreement",
    "disagreement": "items",
    "rater": "raters",
    "judge": "judges",
}
TITLES = {
    "participants": "Participants",
    "comparison": "Sources compared",
    "preference": "Preference",
    "codes": "Categories",
    "agreement": "Agreement",
    "conditions": "Conditions",
    "subgroups": "Subgroups",
    "turns": "Over turns",
    "raters": "Raters",
    "items": "Items",
    "judges": "Model judges",
    "text": "Text",
    "estimates": "All estimates",
}
ABOUT = {
    "participants": "Who arrived, who left, and whose answers the results rest on.",
    "comparison": "How each question was answered, and how sources differ.",
    "preference": "Which response raters chose.",
    "codes": "How often each category was chosen.",
    "agreement": "How far raters agree: 1 is perfect agreement, 0 is no more than by chance.",
    "conditions": "What raters were shown or told, and how ratings differ by it.",
    "subgroups": "Exploratory: if no true differences existed, about 5% of these tests would still have p < .05.",
    "turns": "How ratings develop from turn to turn.",
    "raters": "Evidence to review, not a reason to exclude: set exclusion rules before data collection.",
    "items": "Where raters disagree most. Disagreement is information, not error.",
    "judges": "Model judges compared with human raters. They are not included in estimates of human raters.",
    "text": "How long the texts are, and how they are worded.",
    "estimates": "Every estimate by question, and how to compute it again. The same rows are in the downloads.",
}

ASSOCIATIONS = (
    "These associations do not show that length or wording causes the difference in ratings. If there were none, "
    "about 5% of their intervals would still exclude 0."
)


@dataclass(frozen=True, slots=True)
class Part:
    """One section: its key in the address, its title, a description, and its estimates."""

    key: str
    title: str
    about: str
    estimates: tuple[Estimate, ...]


def part_of(estimate: Estimate) -> str:
    """The section in which an estimate is shown; each estimate belongs to one."""
    if page := declared(estimate.statistic).page:
        return page
    if "sensitivity" in estimate.scope:
        return "preference" if declared(estimate.statistic).is_of_choices else "comparison"
    if estimate.section == "subgroup":
        return "conditions" if {"condition", "shown_label"} & estimate.scope.keys() else "subgroups"
    if estimate.section == "contrast":
        return _of_contrast(estimate)
    return BY_SECTION[estimate.section]


def _of_contrast(estimate: Estimate) -> str:
    scope = estimate.scope
    if scope.get("rater_kind") == "model" and "reference_rater_kind" not in scope:
        return "judges"
    if "turn" in scope:
        return "turns"
    if "factor" in scope or {"condition", "shown_label"} & scope.keys():
        return "conditions"
    return "comparison" if scope.keys() <= {"source", "reference", "cut"} else "subgroups"


def parts_of(estimates: Sequence[Estimate], protocol: Protocol) -> Mapping[str, Part]:
    """The sections that are not empty, in reading order; all estimates come last."""
    found: dict[str, list[Estimate]] = {key: [] for key in TITLES}
    for estimate in estimates:
        found[part_of(estimate)].append(estimate)
    found["estimates"] = list(estimates)
    return {
        key: Part(key, _title(key, protocol), _about(key, protocol, own), tuple(own))
        for key, own in found.items()
        if any(estimate.estimate is not None or estimate.reason == "not_run" for estimate in own)
    }


def _about(key: str, protocol: Protocol, own: Sequence[Estimate]) -> str:
    """What the section shows; how ties count only where raters can choose one."""
    known = {estimate.statistic for estimate in own if estimate.estimate is not None}
    if key == "text" and known - {"text_mean", "text_difference"}:
        return ASSOCIATIONS
    if key == "items" and {"item_difference", "item_share"} & known:
        return f"How far sources differ by item. {ABOUT[key]}"
    has_ties = key == "preference" and any(question.tie for question in protocol.choice_questions)
    return f"{ABOUT[key]}{' Ties count as half.' if has_ties else ''}"


def _title(key: str, protocol: Protocol) -> str:
    """The title for this study: people against models, several models, or one source."""
    if key != "comparison":
        return TITLES[key]
    kinds = {source.kind for source in protocol.sources.values()}
    if len(protocol.sources) <= 1:
        return "Ratings"
    return "Human versus model" if {"human", "model"} <= kinds else TITLES[key]
