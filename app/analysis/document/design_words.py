"""The design of a study in sentences, for the methods of a report and for a preregistration."""

from collections.abc import Callable, Iterator, Mapping

from app.analysis.document.bibliography import REFERENCES
from app.analysis.statistic import statistics
from app.analysis.wording.formatting import outcome_text
from app.base.documents.blocks import DataTable
from app.base.documents.reference import cited
from app.base.numbers import p_text, styled, whole
from app.base.words import and_list, counted, number_text, or_list, readable, spelled_out
from app.protocol.primary import KINDS, TESTS, PrimaryContrast
from app.protocol.primary_default import primary_contrasts
from app.protocol.questions.registry import AnyQuestion, ScaledQuestion
from app.protocol.rater_flags import (
    LONG_RUN,
    MAX_CHANCE,
    MAX_WORDS_PER_MINUTE,
    MIN_POINTS,
    SAME_POINT,
    compared_question,
    side_question,
)
from app.protocol.study import Protocol
from app.protocol.study_design import HumanSample, Trials
from app.protocol.waves import first_key, numbered, wave_of
from app.stats.sequential import boundaries, nominal_p

TRIALS = {
    None: "two responses to the same item, or one response where an item has only one",
    "pairs": "two responses to the same item",
    "single": "one response to an item",
    "set": "all responses to an item",
    "dialogue": "one whole dialogue",
    "conversation": "a conversation that the rater has about an item; each counts as an item of its own",
    "draft": "a text that the rater writes about an item; each counts as an item of its own",
}
GENERALIZATION = "Intervals generalize to new {items} and raters unless stated otherwise."
NO_SAMPLE_SIZE = "No justification of the sample size was given."
ORDERS = {
    "random": "Each rater sees the trials in a random order",
    "latin_square": "The order of the trials is balanced across raters by a Latin square",
    "fixed": "All raters see the trials in the same order",
}
SIDES = "the sides of the two responses are random, balanced within each rater"
# Samples that grow where judges and people disagree.
ACTIVE = ("zrnic2024",)
PLACES = {None: SIDES, "pairs": SIDES, "set": "the order of the responses on the page is random"}


def design_sentences(
    protocol: Protocol, trials: Trials | None = None, *, is_rated_elsewhere: bool = False
) -> Iterator[str]:
    """What raters saw, how many of them rate what, in which order, and what they knew.

    `trials` is the kind of trials of texts that were rated: it holds where the design leaves it open. If they were
    `is_rated_elsewhere`, numbers of raters count only if the design declares them.
    """
    design, kind = protocol.design, protocol.design.trials or trials
    yield f"Each page shows {TRIALS[kind] if protocol.sources else 'one item'}."
    places = PLACES.get(kind) if len(protocol.sources) > 1 else None
    yield f"{ORDERS[design.order]}{f'; {places}' if places else ''}."
    if design.human_sample:
        yield _sample_sentence(protocol, design.human_sample)
    is_declared = bool({"raters_per_trial", "trials_per_rater"} & design.model_fields_set)
    if not design.pools and (is_declared or not is_rated_elsewhere):
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
        come = "comes" if design.repeats.n == 1 else "come"
        yield f"{counted(design.repeats.n, 'trial')} per rater {come} a second time, to measure intra-rater agreement."
    if design.adaptive:
        yield "Pairs of sources are selected adaptively from the answers so far."


def _sample_sentence(protocol: Protocol, sample: HumanSample) -> str:
    """What people rate, and that models judge the rest."""
    by = and_list(map(protocol.labels.column, sample.stratify))
    strata = f", drawn within each {by}" if by else ""
    first = f"People rate a random sample of {sample.share * 100:g}% of the items{strata}; model judges rate all items."
    if sample.grows_to is None:
        return first
    return (
        f"{first} Later, more items are drawn, up to {sample.grows_to * 100:g}% of all, those where judges and people "
        f"are likely to disagree more often, each with a known probability{_active()}."
    )


def _active() -> str:
    return cited([REFERENCES[key] for key in ACTIVE])


def drawn_keys(protocol: Protocol, n_drawn: Mapping[int, int]) -> tuple[str, ...]:
    """The publication that a sample which grows, or was to grow, cites."""
    sample = protocol.design.human_sample
    return ACTIVE if len(n_drawn) > 1 or (sample and sample.grows_to) else ()


def drawn_sentences(n_drawn: Mapping[int, int], n_from: int) -> Iterator[str]:
    """How many items were drawn for people to rate, in each stage."""
    if not n_drawn:
        return
    first, *later = n_drawn.values()
    if not later:
        yield f"Of {counted(n_from, 'item')}, {whole(first)} were drawn at random for people."
        return
    stages = and_list([f"{whole(n)} in stage {stage}" for stage, n in list(n_drawn.items())[1:]])
    yield (
        f"Of {counted(n_from, 'item')}, {whole(first)} were drawn at random for people, then {stages}, more often "
        f"those where judges and people were likely to disagree{_active()}. Each item counts by its probability."
    )


def _asked_of(protocol: Protocol, pool: str | None) -> str:
    design = protocol.design
    most = design.trials_of(pool)
    at_most = f" and at most {counted(most, 'trial')} per rater" if most else ""
    return f"{counted(design.raters_of(pool), 'rater')} per trial{at_most}"


def blinding(protocol: Protocol) -> str:
    """Whether raters know who wrote a response."""
    shown = [name for name, factor in protocol.conditions.items() if factor.kind == "shown_label"]
    if shown:
        return "What raters are told about the source of a response is varied by design (see conditions)."
    if protocol.design.blind:
        return "Pages do not show who wrote a response (single-blind)."
    return "Pages show who wrote each response."


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


NO_SPEED = "No times were recorded, so speed was not checked."


def check_sentences(protocol: Protocol, *, has_times: bool = True) -> Iterator[str]:
    """Checks of the raters, and the rules by which one is flagged; `has_times`: whether their times are known."""
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
    if rules := list(flag_rules(protocol, has_times=has_times)):
        yield f"Raters are flagged if they {'; or if they '.join(rules)}."
        yield "Flagged raters are kept, and the main estimates are repeated without them."
    if not has_times and has_trials(protocol):
        yield NO_SPEED


def has_trials(protocol: Protocol) -> bool:
    """Whether raters are shown anything to rate; otherwise, they answer questions about themselves alone."""
    return any(question.target != "rater" for question in protocol.questions)


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
    yield f"Tests are two-sided at an alpha level of {styled('.05')}, with 95% confidence intervals."
    if protocol.analysis.margin or any(contrast.margin for contrast in protocol.analysis.primary):
        yield (
            "Equivalence (two one-sided tests) and non-inferiority are tested one-sided at "
            f"{styled('.05')}, with 90% confidence intervals."
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
    for number, wave in numbered(protocol.waves):
        keys = [one.key for one in protocol.questions if wave_of(one.key, protocol.waves) == number]
        again = and_list([protocol.labels.question(first_key(key, protocol.waves)) for key in keys])
        last = f" to day {wave.latest}" if wave.latest is not None else " on"
        yield f"{counted(wave.days, 'day')} later, from day {wave.opens}{last}, they answer again: {again}."


# A primary contrast in words, before there is an estimate.

# tests that share their statistic with another one
HOW = {
    "mean_difference_lmm": "linear mixed model",
    "share_preferred_wilson_cc": "Wilson interval with continuity correction",
}


def contrast_lines(protocol: Protocol) -> list[str]:
    """Each primary contrast with its one test."""
    return [contrast_words(contrast, protocol) for contrast in primary_contrasts(protocol)]


def contrast_words(contrast: PrimaryContrast, protocol: Protocol) -> str:
    """Question, test and what is compared, such as `Empathy: Mean difference (source: GPT-4)`."""
    labels = protocol.labels
    says: dict[str, Callable[[str], str]] = {
        "source": labels.source,
        "reference": labels.source,
        "pool": labels.pool,
        "reference_pool": labels.pool,
        "rater_kind": KINDS.__getitem__,
        "reference_rater_kind": KINDS.__getitem__,
        "attribute": labels.column,
        "covariate": labels.column,
        "code": lambda code: labels.codes.get(contrast.question, {}).get(code) or code,
        "factor": lambda name: labels.factors.get(name) or readable(name),
        "level": lambda level: labels.level(contrast.factor or "", level),
    }
    named = [f"{part.replace('_', ' ')}: {says.get(part, str)(value)}" for part, value in contrast.named.items()]
    is_against = "reference" in TESTS[str(contrast.test)].may
    if is_against and contrast.reference is None and contrast.source and protocol.reference:
        named.append(f"reference: {labels.source(protocol.reference)}")
    of = f" ({'; '.join(named)})" if named else ""
    beside = f"; beside it, as published: {test_words(contrast.published)}" if contrast.published else ""
    return f"{outcome_text(contrast, labels)}: {test_words(str(contrast.test))}{of}{beside}"


def test_words(test: str) -> str:
    """The name of a test."""
    # one per level of measurement: their name without the level
    answering = [one for one in statistics().values() if test in one.tests]
    words = answering[0].label if len(answering) == 1 else answering[0].name
    return f"{words}, {HOW[test]}" if test in HOW else words


# The declared looks in words, for methods and preregistrations.

SHAPES = {"obrien_fleming": ("O'Brien and Fleming", "obrien1979"), "pocock": ("Pocock", "pocock1977")}


def monitoring_keys(protocol: Protocol) -> tuple[str, ...]:
    """The publications that a plan of looks cites."""
    return ("lan1983", SHAPES[protocol.monitoring.spending][1]) if protocol.monitoring.looks else ()


def monitoring_sentences(protocol: Protocol) -> Iterator[str]:
    """When the primary contrast is tested, and by which bounds; whether estimates are hidden meanwhile."""
    plan = protocol.monitoring
    if plan.looks and plan.n_ratings:
        bounds = boundaries(plan.looks, alpha=plan.alpha, spending=plan.spending)
        alpha = styled(f"{plan.alpha:g}")
        at = and_list([whole(n) for n in plan.ratings_at_looks])
        zs = and_list([styled(f"{bound:.3f}") for bound in bounds])
        ps = and_list([p_text(nominal_p(bound)) for bound in bounds])
        references = cited([REFERENCES[key] for key in monitoring_keys(protocol)])
        yield (
            f"The primary contrast is tested at {at} ratings, with alpha spending in the shape of "
            f"{SHAPES[plan.spending][0]} at a two-sided error rate of {alpha}{references}: bounds |z| = {zs} "
            f"(p {ps}). The study stops where a bound is crossed."
        )
    if plan.blind_interim:
        yield "Estimates are hidden from the study's leads until the study closes."


# Questions, composites, cut-off values and margins in words, for the methods of a report and for a preregistration.

TARGETS = {
    "response": "each response",
    "pair": "the pair",
    "set": "the set of responses",
    "item": "the item",
    "turn": "each turn",
    "rater": "the rater",
}
# the same of a question about the turns of one writer
TURNS = {"all": TARGETS["turn"], "own": "each of the rater's own turns", "partner": "each turn of the rater's partner"}
# more scales than these are counted where all of them are meant
MAX_SCALES = 2


def question_table(protocol: Protocol) -> DataTable:
    """Every question as raters read it, with its answers."""
    labels = protocol.labels
    rows = tuple(
        (
            labels.question(one.key),
            TURNS[one.turns] if one.target == "turn" else TARGETS[one.target],
            " ".join(one.text.split()),
            _answers_cell(one, protocol),
        )
        for one in protocol.questions
        if wave_of(one.key, protocol.waves) == 1
    )
    return DataTable(
        "Questions: their wording and possible answers.",
        ("Question", "About", "Wording", "Answers"),
        rows,
    )


def _answers_cell(question: AnyQuestion, protocol: Protocol) -> str:
    """The possible answers, and whether the question is optional or depends on the condition or an earlier answer."""
    parts = [question.in_words()]
    if not question.required:
        parts.append("optional")
    if question.condition:
        parts.append(f"asked only in {protocol.labels.condition(question.condition)}")
    if rule := question.show_if:
        parts.append(f"asked only if {protocol.labels.question(rule.question)} {rule.in_words}")
    return "; ".join(parts)


def composite_sentences(protocol: Protocol) -> Iterator[str]:
    """Each composite with its questions, then the publications of published scales."""
    for key, items in composite_items(protocol):
        yield f"{protocol.labels.question(key)} is the {items}"
    yield from citation_sentences(protocol)


def composite_items(protocol: Protocol) -> Iterator[tuple[str, str]]:
    """Key and items of each composite, such as `mean of 2 questions: A and B.`"""
    name = protocol.labels.question
    for key, one in protocol.analysis.composites.items():
        reversed_ = [name(asked) for asked in one.questions if getattr(protocol.question(asked), "reversed", False)]
        turned = f", with {and_list(reversed_)} reverse-scored" if reversed_ else ""
        is_partial = one.n_needed < len(one.questions)
        least = f" It needs answers to at least {one.n_needed} of them." if is_partial else ""
        of = f"{counted(len(one.questions), 'question')}: {and_list(map(name, one.questions))}"
        yield key, f"{one.score} of {of}{turned}.{least}"


def citation_sentences(protocol: Protocol) -> Iterator[str]:
    """The publication of each published scale among the composites."""
    for citation, scores in _cited(protocol).items():
        yield f"{and_list(map(protocol.labels.question, scores))}: {citation.rstrip('.')}."


def _cited(protocol: Protocol) -> dict[str, list[str]]:
    """The scores of each published scale, by its citation."""
    cited: dict[str, list[str]] = {}
    for key, one in protocol.analysis.composites.items():
        if citation := " ".join(one.citation.split()):
            cited.setdefault(citation, []).append(key)
    return cited


def decision_sentences(protocol: Protocol) -> Iterator[str]:
    """The reference, what counts as high, and margins."""
    analysis, labels = protocol.analysis, protocol.labels
    if protocol.reference and len(protocol.sources) > 1:
        yield f"Differences are source minus reference; the reference is {labels.source(protocol.reference)}."
    yield from _cuts(protocol)
    margins = dict.fromkeys([*analysis.margin, *(one.question for one in analysis.primary if one.margin)])
    for key in margins:
        yield f"The margin of {labels.question(key)} is {number_text(analysis.margin_of(key) or 0)} points."


def _cuts(protocol: Protocol) -> Iterator[str]:
    """Which ratings count as high; questions with the same answers share a sentence."""
    alike: dict[str, list[str]] = {}
    for key, cut in protocol.analysis.cut.items():
        alike.setdefault(_high(protocol, key, cut), []).append(key)
    scales = {one.key for one in protocol.scaled_questions if one.target != "rater"}
    for words, keys in alike.items():
        is_every = len(keys) > MAX_SCALES and {*keys} == scales
        on = f"all {spelled_out(len(keys))} scales" if is_every else and_list(map(protocol.labels.question, keys))
        yield f"Ratings of {words} counted as high on {on}."


def _high(protocol: Protocol, key: str, cut: float) -> str:
    """The ratings at or above the cut: the points of a scale, otherwise a number."""
    question = protocol.question(key)
    points = question.values if isinstance(question, ScaledQuestion) and question.has_points else ()
    high = [number_text(value) for value in points if value >= cut]
    return or_list(high) if high else f"{number_text(cut)} or more"


# The rules for flags, as the methods of a report and a preregistration name them.


def flag_rules(protocol: Protocol, *, has_times: bool = True) -> Iterator[str]:
    """The rules of `protocol.rater_flags` that can apply to this study; those about speed only if it `has_times`.

    Time and equal ratings are those of trials: a study that only asks about the raters has none.
    """
    checks, has_times = protocol.checks, has_times and has_trials(protocol)
    if checks.n_scored:
        of = counted(checks.n_scored, "attention check or gold trial", "attention checks and gold trials")
        yield f"failed at least {checks.flagged_at} of {of}"
    if has_times:
        yield f"were shown more than {MAX_WORDS_PER_MINUTE} words per minute"
        yield "took less than a third of the median time per trial"
    if has_times and checks.too_fast_sd is not None:
        yield f"took a total time more than {checks.too_fast_sd:g} standard deviations below the mean"
    if compared_question(protocol):
        same = f"{SAME_POINT:.0%} or more of at least {MIN_POINTS} ratings"
        yield f"gave the same rating in {same}, or {LONG_RUN} times in a row"
    if protocol.choice_questions:
        yield f"chose one side so often, or so often in a row, that chance has a probability below {MAX_CHANCE}"
    if compared := compared_question(protocol) or side_question(protocol):
        label = protocol.labels.question(compared.key)
        yield f"agreed with the other raters on {label} no more than chance, and less than the median rater"
    if any(question.records_typing for question in protocol.questions):
        yield "pasted most of their text answers, or typed faster than people can"
