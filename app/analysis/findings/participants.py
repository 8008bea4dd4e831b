"""Participants in words and tables: what became of them, attrition by arm, bounds of differences between arms."""

from collections.abc import Iterator, Mapping, Sequence

from app.analysis.data.flow import Arm, Flow, is_by_condition
from app.analysis.estimate import Estimate
from app.analysis.report.report import Report, Sample
from app.analysis.report.verdicts import ALPHA
from app.analysis.statistic import Kind
from app.analysis.wording.formatting import estimate_text, interval_text, number, of_text
from app.base.numbers import p_statement, whole
from app.base.words import and_list
from app.protocol.cells import cell_of
from app.protocol.study import Protocol
from app.protocol.waves import wave_label

# What became of people who were assigned to no arm, and of those who were; in the order of reading.
NOT_ASSIGNED = {
    "refused": "did not consent",
    "screened_out": "not eligible",
    "full": "study was full",
    "arrived": "did not begin",
    "active": "have not reached assignment",
    "expired": "left before assignment",
    "withdrawn": "withdrew before assignment",
    "failed_checks": "failed the checks before assignment",
    "deleted": "withdrew, answers deleted",
}
ASSIGNED = {
    "expired": "left",
    "withdrawn": "withdrew",
    "failed_checks": "failed the checks",
    "active": "still rating",
    "arrived": "did not begin",
}
ATTRITION_HEADER = ("Arm", "Assigned", "Finished", "Left before the end", "95% CI", "Missing answers")
WAVE_HEADER = ("Wave", "Arm", "Assigned", "Answered", "Not back", "95% CI")
WAVES = "Raters count once the wave has opened for them, also those who left before the end of the first wave."
BOUNDS_HEADER = ("Question", "Difference", "Lower bound", "Upper bound", "95% CI", "Trimmed")
BOUNDS = (
    "Raters who left one arm might have finished in the other. Lee's (2009) bounds trim as many of the highest or "
    "lowest scores of the arm with less attrition as could be theirs. They enclose the difference among raters who "
    "would finish in either arm, if nobody would finish only in the arm that more raters left. The 95% CI (Imbens and "
    "Manski, 2004) is that of this difference. Scores are means of raters."
)


def in_words(states: Mapping[str, int], words: Mapping[str, str]) -> list[str]:
    """Counts with what they are, such as `3 did not consent`; those without people are left out."""
    return [f"{whole(states[state])} {name}" for state, name in words.items() if states.get(state)]


def arm_name(arm: str, protocol: Protocol) -> str:
    """The label of an arm: its levels, with the names of their factors if there are several."""
    labels = protocol.labels
    if not is_by_condition(protocol):
        return labels.pool(arm) if arm else ""
    levels = cell_of(arm).levels
    return labels.level(*levels[0]) if len(levels) == 1 else labels.condition(arm)


def ends_of(arm: Arm) -> list[str]:
    """Why raters of an arm did not finish."""
    return in_words(arm.states, ASSIGNED)


def exclusions_of(arm: Arm) -> list[str]:
    """How many raters of an arm were excluded, by reason."""
    return [f"{whole(n)} excluded: {why}" for why, n in arm.excluded.items()]


def flow_sentences(flow: Flow | None, protocol: Protocol) -> Iterator[str]:
    """How many arrived and finished, overall and by arm, and why others did not finish."""
    if flow is None:
        return
    finished = sum(arm.n_finished for arm in flow.arms)
    every: dict[str, int] = {}
    for arm in flow.arms:
        for state, n in arm.states.items():
            every[state] = every.get(state, 0) + n
    others = [*in_words(flow.before, NOT_ASSIGNED), *in_words(every, ASSIGNED)]
    said = [f"{whole(flow.n_arrived)} arrived", f"{whole(finished)} finished", *others]
    yield f"Participation: {and_list(said)}."
    if len(flow.arms) > 1:
        kind = "condition" if is_by_condition(protocol) else "pool"
        parts = [
            f"{arm_name(arm.name, protocol)} {whole(arm.n_finished)} of {whole(arm.n_assigned)}" for arm in flow.arms
        ]
        yield f"Finished of those assigned, by {kind}: {', '.join(parts)}."


def attrition_rows(report: Report, protocol: Protocol) -> tuple[tuple[str, ...], ...]:
    """A row per arm, the columns of `ATTRITION_HEADER`; the report is not `labelled`."""
    flow = report.sample.flow
    if flow is None:
        return ()
    of_waves = [one for one in report.of("rater") if one.statistic == "attrition_share"]
    shares = {arm_key(one): one for one in of_waves if "wave" not in one.scope}
    rows = []
    for arm in flow.arms:
        share = shares.get(arm.name if len(flow.arms) > 1 else "")
        left = "–" if share is None else f"{whole(arm.n_left)} of {whole(arm.n_ended)} ({estimate_text(share)})"
        interval = interval_text(share) if share is not None and share.ci_low is not None else "–"
        name = arm_name(arm.name, protocol) or "All raters"
        cells = (
            name,
            whole(arm.n_assigned),
            whole(arm.n_finished),
            left,
            interval,
            missing_cell(report.sample, arm.name),
        )
        rows.append(cells)
    return tuple(rows)


def wave_rows(report: Report, protocol: Protocol) -> tuple[tuple[str, ...], ...]:
    """A row per later wave and arm, the columns of `WAVE_HEADER`; the report is not `labelled`."""
    shares = [one for one in report.of("rater") if one.statistic == "attrition_share" and "wave" in one.scope]
    n_arms = len({arm_key(one) for one in shares} - {""})
    return tuple(
        (
            wave_label(protocol.waves, one.scope["wave"]),
            arm_name(arm_key(one), protocol) if arm_key(one) else "All raters",
            whole(one.n_units or 0),
            whole(round((one.n_units or 0) * (1 - (one.estimate or 0.0)))),
            estimate_text(one),
            interval_text(one) if one.ci_low is not None else "–",
        )
        for one in shares
        if arm_key(one) or n_arms == 0
    )


def arm_key(estimate: Estimate) -> str:
    """The name of the arm of an estimate; empty for all raters."""
    return estimate.scope.get("condition") or estimate.scope.get("pool") or ""


def missing_cell(sample: Sample, arm: str) -> str:
    """How many answers are missing in the trials rated of an arm; a dash if none were expected."""
    n, of = sample.missing.get(arm, (0, 0))
    return f"{whole(n)} of {whole(of)} ({number(n / of, 'share')})" if of else "–"


def attrition_sentences(report: Report) -> Iterator[str]:
    """Each difference in attrition with its test, and whether it is clear; the report is `labelled`."""
    for one in _differences(report):
        if one.estimate is None or one.p_value is None:
            continue
        interval = f" (95% CI {interval_text(one)})" if one.ci_low is not None else ""
        verdict = "Attrition differs between the arms." if one.p_value < ALPHA else "No clear difference in attrition."
        left = "Not back" if "wave" in one.scope else "Left before the end"
        yield (
            f"{left}, {of_text(one)}: {estimate_text(one)} percentage points{interval}, Fisher's exact "
            f"{p_statement(one.p_value)}. {verdict}"
        )


def _differences(report: Report) -> list[Estimate]:
    return [one for one in report.of("rater") if one.statistic == "attrition_difference"]


def bounds_rows(report: Report, protocol: Protocol) -> tuple[tuple[str, ...], ...]:
    """A row per question and pair of arms that differ in attrition; the report is `labelled`."""
    lower = [one for one in report.of("rater") if one.statistic == "lee_lower" and one.estimate is not None]
    upper = {_about(one): one for one in report.of("rater") if one.statistic == "lee_upper"}
    kind: Kind = "points"
    return tuple(
        (
            protocol.labels.question(one.question or "", one.category),
            of_text(one),
            number(one.estimate or 0.0, kind),
            number(upper[_about(one)].estimate or 0.0, kind),
            interval_text(one) if one.ci_low is not None else f"– ({one.note.rstrip('.')})",
            one.note.partition(" ")[0] if one.ci_low is not None else "–",
        )
        for one in lower
    )


def _about(estimate: Estimate) -> tuple[str | None, str]:
    return estimate.measured, str(sorted(estimate.scope.items()))


def participant_tables(
    report: Report, labelled: Report, protocol: Protocol
) -> Iterator[tuple[str, tuple[str, ...], Sequence[tuple[str, ...]], tuple[str, ...]]]:
    """Yield caption, header, rows and notes of each table about participants."""
    if rows := attrition_rows(report, protocol):
        yield "Attrition and missing answers by arm", ATTRITION_HEADER, rows, tuple(attrition_sentences(labelled))
    if waves := wave_rows(report, protocol):
        yield "Raters who came back for later waves, by arm", WAVE_HEADER, waves, (WAVES,)
    if bounds := bounds_rows(labelled, protocol):
        yield "Differences between arms, if those who left are taken into account", BOUNDS_HEADER, bounds, (BOUNDS,)
