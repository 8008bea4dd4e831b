"""What was done against what was registered, point by point."""

from collections.abc import Iterator, Sequence

from app.analysis.document.design_words import (
    blinding,
    check_sentences,
    condition_sentences,
    contrast_lines,
    decision_sentences,
    design_sentences,
)
from app.analysis.document.judges import Judge, judge_points
from app.analysis.document.preregistration import exclusions, hypotheses, reasons_in_words, stopping
from app.analysis.document.registration import Registration, RegistrationError
from app.analysis.report.report import Report
from app.base.documents.blocks import DataTable, Paragraph, Section
from app.base.words import and_list, counted
from app.protocol.rating_columns import GOLD
from app.protocol.study import Protocol

Point = tuple[str, str, str]
HEADER = ("Point", "Registered", "Done", "Deviation")
NONE = "No preregistration is stored with this study, so deviations from a plan cannot be listed."
SELECTED = "These results use only part of the data. Remove the filters to compare what was done with the plan."
NO, YES, READ = "no", "yes", "compare"
LEFT_OUT, NONE_LEFT_OUT = "Answers left out", "None left out"
AS_REGISTERED = "As registered"


def deviations_section(
    registration: Registration | None,
    report: Report,
    protocol: Protocol,
    version: int | None,
    judges: Sequence[Judge] = (),
) -> Section:
    """The whole section; `version` is that of the protocol that the report was made by, None for a folder.

    `judges`: the model judges of the study as they are now.
    """
    title = "Deviations from the preregistration"
    if registration is None:
        return Section(title, (Paragraph(NONE),))
    if report.filters:
        return Section(title, (Paragraph(SELECTED),))
    try:
        registered = registration.as_protocol()
    except RegistrationError as error:
        return Section(title, (Paragraph(str(error)),))
    points = [
        *_protocol_points(registered, protocol),
        *judge_points(registration.judges, registration.judge_rule, judges),
        *_data_points(registration, registered, report),
    ]
    rule = registered.preregistration.exclusions
    rows = tuple(_row(*point, rule) for point in points)
    said = deviations_in_words([row[-1] for row in rows])
    table = DataTable("Registered and done", HEADER, rows)
    return Section(title, (*(Paragraph(line) for line in _about(registration, version)), Paragraph(said), table))


def deviations_in_words(found: Sequence[str]) -> str:
    """One or two sentences from the last column of the table.

    >>> deviations_in_words(["no", "yes", "compare"])
    '1 of 3 points differs from the plan. 1 is to be compared by reading.'
    >>> deviations_in_words(["no", "no"])
    'Every point is as registered.'
    """
    n, n_read = found.count(YES), found.count(READ)
    differ = f"{n} of {len(found)} points {'differs' if n == 1 else 'differ'} from the plan."
    read = f"{n_read} {'is' if n_read == 1 else 'are'} to be compared by reading."
    if n_read:
        return f"{differ} {read}" if n else f"No point differs from the plan. {read}"
    return differ if n else "Every point is as registered."


def _row(name: str, plan: str, done: str, rule: str) -> tuple[str, str, str, str]:
    """One point. Whether raters were left out by a rule in the lead's own words can only be read."""
    if plan == done:
        return name, plan, AS_REGISTERED, NO
    return name, plan, done, READ if name == LEFT_OUT and plan == rule else YES


def _about(registration: Registration, version: int | None) -> Iterator[str]:
    yield f"Registered {registration.registered_at} (UTC), SHA-256 {registration.sha256}."
    if registration.version is not None and version is not None and registration.version != version:
        yield (
            f"The plan was registered for version {registration.version} of the protocol; these results use version "
            f"{version}. The table compares the two."
        )


def _protocol_points(registered: Protocol, done: Protocol) -> Iterator[Point]:
    """What the two protocols say."""
    for name, words in (
        ("Hypotheses", lambda one: " ".join(hypotheses(one).lines)),
        ("Primary contrasts and tests", lambda one: "; ".join(contrast_lines(one))),
        ("Reference, cut-off values and margins", lambda one: " ".join(decision_sentences(one)) or "None"),
        ("Questions", _questions),
        ("Sources", lambda one: and_list([one.labels.source(key) for key in one.sources]) or "None"),
        ("Conditions", lambda one: " ".join(condition_sentences(one)) or "None"),
        ("Trials and raters", lambda one: " ".join(design_sentences(one))),
        ("Blinding", blinding),
        ("Checks", lambda one: " ".join(check_sentences(one))),
        ("Exclusion rule", lambda one: " ".join(exclusions(one))),
        ("Stopping rule", lambda one: " ".join(stopping(one))),
    ):
        yield name, words(registered), words(done)


def _questions(protocol: Protocol) -> str:
    said = (f"{protocol.labels.question(one.key)}: {' '.join(one.text.split())}" for one in protocol.questions)
    return "; ".join(one.removesuffix(".") for one in said)


def _data_points(registration: Registration, registered: Protocol, report: Report) -> Iterator[Point]:
    """What the data say: items, ratings before registration, exclusions."""
    sample = report.sample
    yield "Items", counted(registration.n_items, "item"), counted(sample.n_items, "item")
    before = sample.first_day is not None and sample.first_day.isoformat() < registration.registered_at[:10]
    n = registration.n_ratings - registration.n_simulated
    none = counted(n, "answer") if n else "No ratings existed"
    found = f"The first rating is of {sample.first_day}" if before else none
    yield "Ratings before registration", none, found
    # Gold trials are declared: that no estimate uses them is as registered.
    by_reason = {reason: n for reason, n in sample.excluded.items() if reason != GOLD}
    earlier, done = (reasons_in_words(one) or NONE_LEFT_OUT for one in (registration.left_out, by_reason))
    yield LEFT_OUT, registered.preregistration.exclusions or earlier, done
