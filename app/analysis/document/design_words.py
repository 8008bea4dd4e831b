"""The design of a study in sentences, for the methods of a report and for a preregistration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.document.flag_words import flag_rules
from app.design.word_lists import and_list, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from app.design.protocol.study import Protocol

TRIALS = {
    None: "two responses to the same item, or one response where an item has only one",
    "pairs": "two responses to the same item",
    "single": "one response to an item",
    "set": "all responses to an item",
    "dialogue": "one whole dialogue",
}
GENERALIZATION = "Intervals generalize to new items and raters unless stated otherwise."
NO_SAMPLE_SIZE = "No sample-size justification was given."
ORDERS = {
    "random": "Each rater sees the trials in a random order",
    "latin_square": "The order of the trials is balanced across raters by a Latin square",
    "fixed": "All raters see the trials in the same order",
}
SIDES = "the sides of the two responses are random, balanced within each rater"
PLACES = {None: SIDES, "pairs": SIDES, "set": "the order of the responses on the page is random"}


def design_sentences(protocol: Protocol) -> Iterator[str]:
    """What raters saw, how many of them rate what, in which order, and what they knew."""
    design = protocol.design
    yield f"Each page shows {TRIALS[design.trials] if protocol.sources else 'one item'}."
    places = PLACES.get(design.trials) if len(protocol.sources) > 1 else None
    yield f"{ORDERS[design.order]}{f'; {places}' if places else ''}."
    if not design.pools:
        yield f"The design asks for {_asked_of(protocol, None)}."
    for name, pool in design.pools.items():
        items = {"all": "all items", "own": "their own items", "pool": "the items of the pool"}[pool.items]
        yield f"Raters of the pool {protocol.labels.pool(name)} rate {items}: {_asked_of(protocol, name)}."
    if protocol.sources:
        yield blinding(protocol)
    if design.reveal == "turns":
        yield "Dialogues are revealed turn by turn."
    if design.profile == "hidden":
        yield "The profile of the person is hidden."
    if design.repeats:
        yield f"{counted(design.repeats.n, 'trial')} per rater come a second time, to measure intra-rater agreement."
    if design.adaptive:
        yield "Pairs of sources are selected adaptively from the answers so far."


def _asked_of(protocol: Protocol, pool: str | None) -> str:
    design = protocol.design
    most = design.trials_of(pool)
    return (
        f"{counted(design.raters_of(pool), 'rater')} per trial{f' and at most {most} trials per rater' if most else ''}"
    )


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


def sources_sentence(protocol: Protocol, n_responses: Mapping[str, int] | None = None) -> str:
    """Who wrote the responses, and how many there are of each source, where this is known."""
    kinds = {"human": "human", "model": "model", "human+model": "human with a model"}
    said = []
    for key, source in protocol.sources.items():
        n = f", {counted(n_responses.get(key, 0), 'response')}" if n_responses is not None else ""
        said.append(f"{protocol.labels.source(key)} ({kinds[source.kind]}{n})")
    return f"Responses come from {and_list(said)}." if said else "Raters judge the items themselves."


def check_sentences(protocol: Protocol) -> Iterator[str]:
    """Checks of the raters, and the rules by which one is flagged."""
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
    yield f"Raters are flagged if they {'; '.join(flag_rules(protocol))}."
    yield "Flagged raters are kept, and the main estimates are repeated without them."


def exclusion_rule(protocol: Protocol) -> str:
    """Which raters or answers are left out, in the lead's words, or that no rule was declared."""
    return protocol.preregistration.exclusions or "No rule for the exclusion of raters or answers was declared."


def sample_size_sentence(protocol: Protocol) -> str:
    """The planned number of raters, and why: in the lead's words, or that no reason was given."""
    most = protocol.design.max_raters
    planned = f"At most {counted(most, 'rater')} were to be admitted. " if most else ""
    return f"{planned}{' '.join((protocol.preregistration.sample_size or NO_SAMPLE_SIZE).split())}"


def inference_sentences(protocol: Protocol) -> Iterator[str]:
    """The alpha level and the sidedness of tests."""
    yield "Tests are two-sided at an alpha level of .05, with 95% confidence intervals."
    if protocol.analysis.margin or any(contrast.margin for contrast in protocol.analysis.primary):
        yield (
            "Equivalence (two one-sided tests) and non-inferiority are tested one-sided at .05, with 90% confidence "
            "intervals."
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
