"""A registration in the order of two forms: OSF Preregistration and AsPredicted."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.analysis.document.design_words import (
    GENERALIZATION,
    check_sentences,
    composite_sentences,
    condition_sentences,
    consent_sentences,
    contrast_lines,
    decision_sentences,
    design_sentences,
    inference_sentences,
    monitoring_sentences,
    question_table,
    sample_size_sentence,
    sources_sentence,
)
from app.analysis.document.judges import NAME, judge_words
from app.analysis.document.registration import Registration
from app.analysis.statistic import declared
from app.analysis.wording.formatting import number
from app.base.documents.blocks import Block, Bullets, DataTable, Document, Paragraph, Section
from app.base.numbers import restyled, whole
from app.base.words import and_list, counted
from app.protocol.study import Protocol

SDS = ("item", "item_source", "rater", "rater_source", "residual")
STOPPING = "Data collection ends when every trial has its number of raters."
EXCLUSIONS = (
    "No rater is left out. The protocol flags raters by the rule below, and the estimates are repeated without them."
)
ADJUSTMENT = (
    "If the primary contrasts have several p-values, these are adjusted as one family by Holm's method. Intervals are "
    "not adjusted."
)
EXPLORATORY = (
    "Every other estimate of the report is exploratory, marked as such and counted; its p-values are adjusted by the "
    "Benjamini-Hochberg method within their kind of test."
)
MISSING = (
    "Estimates use all answers that were given. A trial that is skipped goes to another rater. Mixed models and "
    "cluster intervals take unequal numbers of ratings per rater and item as they are."
)


def osf_document(registration: Registration, origin: str = "") -> Document:
    """The headings of the OSF Preregistration form, in its order; `origin` says from which template the study is."""
    protocol = registration.as_protocol()
    study = Section(
        "Study information",
        (),
        (
            Section("Title", _words(protocol.title)),
            Section("Description", _words(f"{origin} {protocol.description}".strip() or "–")),
            Section("Hypotheses", (hypotheses(protocol),)),
        ),
    )
    sections = (
        study,
        *_osf_design(protocol),
        *_osf_sampling(registration, protocol),
        *_osf_analysis(registration, protocol),
    )
    return Document(f"Preregistration (OSF): {protocol.title}", lines(registration), sections)


def _osf_design(protocol: Protocol) -> Iterator[Section]:
    parts = (
        Section("Study type", _words(study_type(protocol))),
        Section("Blinding and study design", _words(*design_sentences(protocol), *condition_sentences(protocol))),
        Section("Randomization", _words(randomization(protocol))),
    )
    yield Section("Design plan", (), parts)


def study_type(protocol: Protocol) -> str:
    """What is varied, and whether it is assigned at random."""
    assigned = {factor.assign for factor in protocol.conditions.values()}
    if assigned:
        to = [words for how, words in (("between", "raters"), ("within", "trials")) if how in assigned]
        return f"Experiment: conditions are assigned to {and_list(to)} at random."
    if len(protocol.sources) > 1:
        return "Experiment: the source of the responses is varied. What is random is stated under Randomization."
    return "Observational study: ratings of given texts."


def _osf_sampling(registration: Registration, protocol: Protocol) -> Iterator[Section]:
    parts = (
        Section("Existing data", _words(existing_data(registration, protocol))),
        Section("Data collection procedures", _words(*consent_sentences(protocol), *_recruited(protocol))),
        Section("Sample size and rationale", tuple(sample_size(registration, protocol))),
        Section("Stopping rule", _words(*stopping(protocol))),
    )
    yield Section("Sampling plan", (), parts)
    variables = (
        Section("Manipulated variables", _words(sources_sentence(protocol), *condition_sentences(protocol))),
        Section("Measured variables", (question_table(protocol),)),
        Section("Indices", (_indices(protocol),)),
    )
    yield Section("Variables", (), variables)


def _osf_analysis(registration: Registration, protocol: Protocol) -> Iterator[Section]:
    parts = (
        Section(
            "Statistical models", (Bullets(tuple(contrast_lines(protocol))), *_words(*decision_sentences(protocol)))
        ),
        Section("Inference criteria", _words(*_inference(protocol))),
        Section("Data exclusion", _words(*_exclusions(registration, protocol))),
        Section("Missing data", _words(MISSING)),
        Section("Exploratory analysis", _words(EXPLORATORY)),
        *((Section("Model judges", tuple(_judges(registration))),) if registration.judges else ()),
    )
    yield Section("Analysis plan", (), parts)
    yield Section("Other", _words(protocol.preregistration.other or "–"))


def aspredicted_document(registration: Registration, origin: str = "") -> Document:
    """The questions of the AsPredicted form, in its order; `origin` says from which template the study is."""
    protocol = registration.as_protocol()
    conditions = _words(sources_sentence(protocol), *design_sentences(protocol), *condition_sentences(protocol))
    sections = (
        Section(
            "1) Have any data been collected for this study already?", _words(existing_data(registration, protocol))
        ),
        Section("2) What's the main question being asked or hypothesis being tested?", (hypotheses(protocol),)),
        Section("3) Describe the key dependent variable(s) specifying how they will be measured.", _measured(protocol)),
        Section("4) How many and which conditions will participants be assigned to?", conditions),
        Section(
            "5) Specify exactly which analyses you will conduct to examine the main question/hypothesis.",
            (Bullets(tuple(contrast_lines(protocol))), *_words(*decision_sentences(protocol), *_inference(protocol))),
        ),
        Section(
            "6) Describe exactly how outliers and exclusions are handled.",
            _words(*_exclusions(registration, protocol), MISSING),
        ),
        Section(
            "7) How many observations will be collected or what will determine sample size?",
            (*sample_size(registration, protocol), *_words(*stopping(protocol))),
        ),
        Section(
            "8) Anything else you would like to pre-register?",
            (*_words(origin, EXPLORATORY, protocol.preregistration.other), *_judges(registration)),
        ),
    )
    return Document(f"Preregistration (AsPredicted): {protocol.title}", lines(registration), sections)


def _judges(registration: Registration) -> Iterator[Block]:
    """The model judges, how each is asked, and when one is said to pass; nothing without any."""
    if registration.judges:
        yield from _words("Language models answer the same questions; their answers never enter those of people.")
        yield Bullets(tuple(f"{one[NAME]}: {judge_words(one)}." for one in registration.judges))
        yield from _words(registration.judge_rule)


def lines(registration: Registration) -> tuple[str, ...]:
    """When it was registered, of which version, and the hash."""
    version = f", protocol version {registration.version}" if registration.version is not None else ""
    when = registration.registered_at
    return (
        f"Registered {when} (UTC) by {registration.software}: study {registration.study}{version}.",
        f"SHA-256 {registration.sha256}. The hash covers protocol, plan and time, as preregistration.json holds them.",
    )


def _words(*sentences: str) -> tuple[Block, ...]:
    return (Paragraph(" ".join(" ".join(sentences).split())),)


def hypotheses(protocol: Protocol) -> Bullets:
    """As the lead wrote them, else what the primary contrasts ask."""
    declared = protocol.preregistration.hypotheses
    named = [f"No direction is stated. Primary contrast: {line}." for line in contrast_lines(protocol)]
    return Bullets(tuple(" ".join(one.split()) for one in declared) or tuple(named))


def existing_data(registration: Registration, protocol: Protocol) -> str:
    """Whether there were ratings, as counted when it was registered."""
    n, n_simulated = registration.n_ratings, registration.n_simulated
    known = f"{counted(n - n_simulated, 'answer') if n > n_simulated else 'No ratings'} existed at registration."
    if n_simulated:
        known += f" {counted(n_simulated, 'simulated answer')} rehearsed the analysis."
    return f"{known} {protocol.preregistration.existing_data}"


def randomization(protocol: Protocol) -> str:
    """What is random; pages with one text have no sides, those with all responses an order."""
    is_random, has_sides = protocol.design.order == "random", not protocol.shows_one_text
    sides = "order of responses on a page" if protocol.design.trials == "set" else "sides of responses"
    are = "is" if protocol.design.trials == "set" else "are"
    order = {
        (True, True): f"The order of trials and the {sides} are random",
        (True, False): "The order of trials is random",
        (False, True): f"The {sides} {are} random; trials come in the order described",
        (False, False): "Trials come in the order described",
    }[is_random, has_sides]
    conditions = " Raters get conditions in a balanced order." if protocol.conditions else ""
    return f"{order}, from seed {protocol.design.seed}.{conditions}"


def _inference(protocol: Protocol) -> Iterator[str]:
    yield from inference_sentences(protocol)
    yield GENERALIZATION.format(items=protocol.labels.items.several)
    yield ADJUSTMENT


def _recruited(protocol: Protocol) -> Iterator[str]:
    links = "a personal link only" if protocol.design.links == "personal" else "the study's link"
    yield f"Raters take part through {links}."


def sample_size(registration: Registration, protocol: Protocol) -> Iterator[Block]:
    """Items, raters per trial, the lead's reason, and the power of the plan."""
    design = protocol.design
    said = f"{counted(registration.n_items, 'item')}, {counted(design.raters_per_trial, 'rater')} per trial."
    yield from _words(said, sample_size_sentence(protocol))
    if registration.no_plan:
        yield from _words(f"No power was computed: {registration.no_plan}")
    elif registration.plan:
        header = ("Statistic", "Items", "Raters", "Raters per trial", "Expected", "Width of the 95% CI", "Power")
        rows = tuple(_plan_row(row) for row in registration.plan)
        n = registration.plan[0]["n_simulations"]
        notes = (f"From {whole(n)} simulated studies per row.", *_assumptions(registration.assumed))
        yield DataTable("Expected precision and power", header, rows, notes)


def _assumptions(assumed: dict[str, Any]) -> Iterator[str]:
    """What the plan was simulated with, in a sentence; nothing in registrations that do not say it."""
    if not assumed:
        return
    sds = ", ".join(f"{name.replace('_', ' by ')} {assumed[name]:.2f}" for name in SDS)
    yield (
        f"Simulated with a mean of {assumed['mean']:.2f}, a difference of {assumed['difference']:.2f} and standard "
        f"deviations {sds} ({assumed['origin']}); {assumed['attrition']:.0%} of the raters leave early. "
        f"The power is that of p-values adjusted by Holm's method ({counted(assumed['n_tests'], 'primary test')})."
    )


def _plan_row(row: dict[str, object]) -> tuple[str, ...]:
    known = declared(str(row["statistic"]))

    def cell(name: str, *, is_share: bool = False) -> str:
        value = row[name]
        return number(value, "share" if is_share else known.kind) if isinstance(value, int | float) else "–"

    counts = (restyled(f"{row[name]:,}") for name in ("n_items", "n_raters", "raters_per_trial"))
    return (known.label, *counts, cell("estimate"), cell("width"), cell("power", is_share=True))


def stopping(protocol: Protocol) -> Iterator[str]:
    """When data collection ends."""
    yield protocol.preregistration.stopping_rule or STOPPING
    yield from monitoring_sentences(protocol)


def _exclusions(registration: Registration, protocol: Protocol) -> Iterator[str]:
    """What was left out already when it was registered, and the rule from then on."""
    if registration.left_out:
        yield f"Answers left out before registration: {reasons_in_words(registration.left_out)}. From then on:"
    yield from exclusions(protocol)


def reasons_in_words(left_out: Mapping[str, int]) -> str:
    """How many answers were left out, by the reason; empty if none.

    >>> reasons_in_words({"rater excluded: slept": 36, "double": 1200})
    '1,200: double; 36: rater excluded: slept'
    """
    return "; ".join(f"{whole(n)}: {reason}" for reason, n in sorted(left_out.items()))


def exclusions(protocol: Protocol) -> Iterator[str]:
    """Who is left out, and who is flagged."""
    yield protocol.preregistration.exclusions or EXCLUSIONS
    yield from check_sentences(protocol)


def _indices(protocol: Protocol) -> Bullets:
    return Bullets(tuple(composite_sentences(protocol)) or ("None.",))


def _measured(protocol: Protocol) -> tuple[Block, ...]:
    return (
        (question_table(protocol), _indices(protocol)) if protocol.analysis.composites else (question_table(protocol),)
    )
