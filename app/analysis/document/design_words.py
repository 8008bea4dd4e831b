"""The design of a study in sentences, for the methods of a report and for a preregistration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.document.blocks import DataTable
from app.design.questions.kinds.category import CategoryQuestion
from app.design.questions.kinds.choice import ChoiceQuestion
from app.design.questions.kinds.rating import RatingQuestion
from app.design.questions.kinds.slider import SliderQuestion
from app.design.questions.scale import number_text
from app.design.word_lists import and_list, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.design.protocol.study import Protocol
    from app.design.questions.kinds.registry import AnyQuestion

TRIALS = {
    None: "pairs of responses to the same item, or single responses where an item has no pair",
    "pairs": "pairs of responses to the same item",
    "single": "single responses",
    "set": "all responses to an item together",
    "dialogue": "whole dialogues",
}
ORDERS = {
    "random": "in a random order for each rater",
    "latin_square": "in an order balanced across raters by a Latin square",
    "fixed": "in the same order for every rater",
}
TARGETS = {
    "response": "each response",
    "pair": "the pair",
    "set": "the set of responses",
    "item": "the item",
    "turn": "each turn",
    "rater": "the rater",
}


def design_sentences(protocol: Protocol) -> Iterator[str]:
    """What raters saw, how many of them rate what, and in which order."""
    design = protocol.design
    yield f"Each page shows {TRIALS[design.trials]}, {ORDERS[design.order]}."
    most = f", at most {design.trials_per_rater} trials per rater" if design.trials_per_rater else ""
    yield f"The design asks for {counted(design.raters_per_trial, 'rater')} per trial{most}."
    yield blinding(protocol)
    for name, pool in design.pools.items():
        of_pool = f"{counted(design.raters_of(name), 'rater')} per trial"
        items = {"all": "all items", "own": "their own items", "pool": "the items of the pool"}[pool.items]
        yield f"Pool {protocol.labels.pool(name)}: {of_pool}, {items}."
    if design.repeats:
        yield f"{counted(design.repeats.n, 'trial')} per rater come a second time, to measure intra-rater agreement."
    if design.adaptive:
        yield "Pairs of sources are selected adaptively from the answers so far."


def blinding(protocol: Protocol) -> str:
    """Whether raters know who wrote a response."""
    shown = [name for name, factor in protocol.conditions.items() if factor.kind == "shown_label"]
    if shown:
        return "What raters are told about the source of a response is varied by design (see conditions)."
    if protocol.design.blind:
        return "Raters are not told who wrote a response (single-blind)."
    return "Raters are told who wrote each response."


def condition_sentences(protocol: Protocol) -> Iterator[str]:
    """Each factor with its levels."""
    labels = protocol.labels
    for name, factor in protocol.conditions.items():
        levels = and_list([labels.level(name, level) for level in factor.levels])
        how = "between raters" if factor.assign == "between" else "within raters"
        label = labels.factors.get(name) or name
        yield f"{label} is varied {how}: {levels}."


def sources_sentence(protocol: Protocol) -> str:
    """Who wrote the responses."""
    kinds = {"human": "human", "model": "model", "human+model": "human with a model"}
    said = [f"{protocol.labels.source(key)} ({kinds[one.kind]})" for key, one in protocol.sources.items()]
    return f"Responses come from {and_list(said)}." if said else "The study has no sources of responses."


def question_table(protocol: Protocol) -> DataTable:
    """Every question as raters read it, with the answers that it takes."""
    labels = protocol.labels
    rows = tuple(
        (labels.question(one.key), TARGETS[one.target], " ".join(one.text.split()), answers_words(one))
        for one in protocol.questions
    )
    return DataTable("Questions", ("Question", "About", "Wording", "Answers"), rows, widths=(3, 2, 6, 6))


def answers_words(question: AnyQuestion) -> str:
    """The answers that a question takes."""
    if isinstance(question, RatingQuestion):
        points = (f"{number_text(p.value)} {p.words}".strip() for p in question.scale.points)
        turned = "; high values are undesirable" if question.reversed else ""
        return f"{', '.join(points)} ({question.level}){turned}"
    if isinstance(question, SliderQuestion):
        return f"slider from {number_text(question.min)} to {number_text(question.max)}"
    if isinstance(question, CategoryQuestion):
        return ", ".join(words or code for code, words in question.codes.items())
    if isinstance(question, ChoiceQuestion):
        return "one of the responses" + (", or about the same" if question.tie else "")
    return {"ranking": "the order of the responses", "highlight": "marked words"}.get(question.type, "free text")


def check_sentences(protocol: Protocol) -> Iterator[str]:
    """Checks of the raters, and the rule by which one is flagged."""
    checks, flow = protocol.checks, protocol.flow
    if flow.practice:
        yield f"Raters practise on {counted(len(flow.practice.trials), 'trial')} with feedback."
    parts = [
        counted(len(found), word)
        for found, word in (
            (checks.comprehension, "comprehension question"),
            (checks.attention, "attention check"),
            (checks.gold, "gold trial"),
        )
        if found
    ]
    if parts:
        yield f"The study has {and_list(parts)}."
    if protocol.raters.identity == "unknown":
        return
    failed = f"who failed {counted(checks.flag_at, 'attention check')} or gold trials, or " if parts else ""
    yield (
        f"The protocol flags raters {failed}whose total time is {checks.too_fast_sd:g} standard deviations below the "
        "mean. Flagged raters are kept, and the main estimates are repeated without them."
    )


def consent_sentences(protocol: Protocol) -> Iterator[str]:
    """Consent, eligibility, debriefing."""
    flow = protocol.flow
    if flow.consent:
        yield f"Raters agree to a consent form (version {flow.consent.version}) before they begin."
    else:
        yield "The protocol has no consent form."
    if flow.eligibility:
        asked = and_list([protocol.labels.question(key) for key in flow.eligibility.accept])
        yield f"Eligibility is decided by: {asked}."
    if flow.debrief:
        yield "Raters are debriefed at the end."
