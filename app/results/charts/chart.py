"""The charts of a report, each with its specification, its table and a description."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal
from typing import Protocol as Interface

from app.analysis.document.findings import Place
from app.analysis.estimate import Estimate
from app.analysis.findings.specifications import curves
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from app.analysis.report.sentences import scale_ends
from app.analysis.statistic import declared
from app.base.words import and_list
from app.protocol.primary_default import by_importance, primary_contrasts
from app.protocol.questions.registry import AnyQuestion
from app.protocol.study import Protocol
from app.results.charts.agreement import (
    agreement_finding,
    agreement_spec,
    agreement_table,
    alphas,
    rater_pairs_finding,
    rater_pairs_spec,
    rater_pairs_table,
    with_pairs,
)
from app.results.charts.choice import MIN_SOURCES as MIN_MATRIX
from app.results.charts.choice import (
    order_of,
    preference_finding,
    preference_spec,
    preference_table,
    shares_preferred,
    win_matrix_finding,
    win_matrix_spec,
    win_matrix_table,
)
from app.results.charts.distribution import (
    distribution_finding,
    distribution_spec,
    distribution_table,
    grouped_by_points,
)
from app.results.charts.flow import flow_finding, flow_spec, flow_table
from app.results.charts.forest import forest_finding, forest_spec, forest_table
from app.results.charts.judges import (
    bins_of,
    calibration_finding,
    calibration_spec,
    calibration_table,
    judge_rows,
    judges_finding,
    judges_spec,
    judges_table,
)
from app.results.charts.lines import (
    NAMES,
    conditions_finding,
    conditions_spec,
    conditions_table,
    split_means,
    splits_of,
    turn_means,
    turns_finding,
    turns_spec,
    turns_table,
)
from app.results.charts.plane import (
    MIN_SOURCES,
    plane_finding,
    plane_means,
    plane_questions,
    plane_spec,
    plane_table,
    points_of,
)
from app.results.charts.primary import SLOPES, effects_of, primary_effects, primary_finding, primary_spec, primary_table
from app.results.charts.specifications import curve_finding, curve_spec, curve_table
from app.results.charts.straight_lining import (
    rater_points,
    straight_lining_finding,
    straight_lining_spec,
    straight_lining_table,
)
from app.results.charts.table import Table
from app.results.charts.theme import Spec, Theme, Width, wrapped_axes
from app.results.scale_widths import scale_points, scale_width


class Build(Interface):
    """Builds the specification of a chart."""

    def __call__(self, estimates: Sequence[Estimate], *, title: str, theme: Theme, width: Width) -> Spec | None: ...


# A title names at most this many questions.
MAX_NAMES = 3
# of a sentence
ENDS = (".", "?", "!")
# The width of the text of an A4 page in CSS pixels, with the labels: a chart in print is as large as it is drawn.
PRINT_WIDTH = 640
Part = Literal["participants", "comparison", "preference", "agreement", "conditions", "turns", "raters", "judges"]


@dataclass(frozen=True)
class Chart:
    """One chart.

    `key` is unique in a report and valid in file names and URLs; `part` is the part of the report that shows it, and
    `place` where in a document.
    """

    key: str
    part: Part
    question: str | None
    title: str
    estimates: tuple[Estimate, ...]
    build: Build
    tabulate: Callable[[Sequence[Estimate]], Table]
    describe: Callable[[Sequence[Estimate]], str]
    place: Place = "appendix"
    # Whether the chart is as wide as a page with columns.
    spans: bool = False

    def spec(self, theme: Theme = "light", width: Width = PRINT_WIDTH) -> Spec | None:
        """Return the Vega-Lite specification; None if there is nothing to draw (the table then gives the reason).

        `width` is that of the chart with its labels.
        """
        found = self.build(self.estimates, title=self.title, theme=theme, width=width)
        # laid out again once the width beside the labels is known: a legend may then take more rows
        autosize = {"type": "fit-x", "contains": "padding", "resize": True}
        fits = {"autosize": autosize} if isinstance(width, int) else {}
        shown = found and wrapped_axes(found, width)
        return shown and {**shown, **fits, "description": self.description}

    @cached_property
    def in_print(self) -> Spec | None:
        """The specification as for paper, built once: it takes 20 ms."""
        return self.spec()

    @property
    def caption(self) -> str:
        """What stands below the chart where it has no title of its own."""
        said = ((self.in_print or {}).get("title") or {}).get("subtitle", [])
        sentences = (self.title, " ".join(said))
        return " ".join(one if one.endswith(ENDS) else f"{one}." for one in sentences if one)

    @property
    def description(self) -> str:
        """The title and what the chart shows, for those who do not see it."""
        return f"{self.title}{'' if self.title.endswith(ENDS) else '.'} {self.finding}"

    @property
    def is_drawn(self) -> bool:
        """Whether there is anything to draw."""
        return self.in_print is not None

    @property
    def table(self) -> Table:
        """The same estimates as a table."""
        return self.tabulate(self.estimates)

    @property
    def finding(self) -> str:
        """What the chart shows, as alternative text."""
        return self.describe(self.estimates)


def charts_of(report: Report, protocol: Protocol, axes: tuple[str, str] | None = None) -> list[Chart]:
    """Return every chart that the report's estimates allow: of several questions, then of each, primary ones first.

    Of each question, those about human raters come before those about model judges.

    `axes` are the keys of the questions on the x and y axes of the plane; None for the first two.
    """
    shown = labelled(report, protocol.labels)
    people = [
        *_participants(shown, protocol),
        *_primary(shown, protocol),
        *_compared(shown, protocol, is_model=False),
        *_specification_curves(shown, protocol),
        *_beyond(shown, protocol, axes),
    ]
    ranks = {key: rank for rank, key in enumerate(by_importance(protocol))}
    charts = [*people, *_compared(shown, protocol, is_model=True)]
    return sorted(charts, key=lambda chart: ranks.get(chart.question or "", -1))


def _participants(report: Report, protocol: Protocol) -> Iterator[Chart]:
    flow = report.sample.flow
    if flow is not None and flow.arms:
        draw, tabulate = (
            partial(flow_spec, flow=flow, protocol=protocol),
            partial(flow_table, flow=flow, protocol=protocol),
        )
        tell = partial(flow_finding, flow=flow, protocol=protocol)
        yield Chart("participants", "participants", None, "Participants", (), draw, tabulate, tell, "body")


def _primary(report: Report, protocol: Protocol) -> Iterator[Chart]:
    """Yield the primary contrasts that the charts of mean differences and of choices do not show."""
    of_choices = (_of(report, "choice", question.key, is_model=False) for question in protocol.choice_questions)
    in_bars = [one for part in of_choices for one in shares_preferred(part)]
    for number, group in enumerate(primary_effects(report, in_bars), start=1):
        kinds = (primary_spec, primary_table, primary_finding)
        labels = dict.fromkeys(protocol.labels.question(one.question or "", one.category) for one in group)
        title = f"Primary contrasts: {and_list([*labels], most=MAX_NAMES)}"
        key, named = f"primary-{number}", _named(group, protocol)
        yield Chart(key, _part(group[0]), None, title, named, *kinds, "first", spans=True)


def _part(estimate: Estimate) -> Part:
    """The part of the results that shows a primary contrast."""
    if estimate.statistic in SLOPES:
        return "turns"
    if {"factor", "condition", "shown_label"} & estimate.scope.keys():
        return "conditions"
    return "preference" if declared(estimate.statistic).is_of_choices else "comparison"


def about_responses(charts: Sequence[Chart], protocol: Protocol) -> list[Chart]:
    """Return the charts without those of questions about the rater, if there are others."""
    of_raters = {question.key for question in protocol.questions if question.target == "rater"}
    return [chart for chart in charts if chart.question not in of_raters] or [*charts]


def _compared(report: Report, protocol: Protocol, *, is_model: bool) -> Iterator[Chart]:
    """Yield charts of mean differences, distributions and choices."""
    who, end = (" (model judges)", "-judges") if is_model else ("", "")
    compared = _of(report, "comparison", is_model=is_model)
    differences = (*compared, *_declared_pairs(report, compared, is_model=is_model))
    if differences:
        margins = {protocol.labels.question(key): margin for key, margin in protocol.analysis.margin.items()}
        scored = (*(question.key for question in protocol.scaled_questions), *protocol.analysis.composites)
        widths = {protocol.labels.question(key): scale_width(key, protocol) for key in scored}
        title, named = f"Mean differences{who}", _listed(differences, protocol)
        place: Place = "appendix" if is_model else "first_if_primary"
        of_all = (partial(forest_spec, margins=margins, widths=widths), forest_table, forest_finding)
        yield Chart(f"comparison{end}", "comparison", None, title, named, *of_all, place, spans=True)
    yield from _distributions(report, protocol, who, end, is_model=is_model)
    for number, question in enumerate(protocol.choice_questions, start=1):
        part, title = _of(report, "choice", question.key, is_model=is_model), f"{_wording(question, protocol)}{who}"
        if part:
            kinds = (preference_spec, preference_table, preference_finding)
            is_primary = any(one in effects_of(report) for one in shares_preferred(part))
            where: Place = "first" if is_primary else "body"
            yield Chart(f"choice-{number}{end}", "preference", question.key, title, part, *kinds, where)
        if part and len(order_of(part)) >= MIN_MATRIX:
            kinds = (win_matrix_spec, win_matrix_table, win_matrix_finding)
            title = f"Every pair of sources: {protocol.labels.question(question.key)}{who}"
            yield Chart(f"win-matrix-{number}{end}", "preference", question.key, title, part, *kinds)


def _specification_curves(report: Report, protocol: Protocol) -> Iterator[Chart]:
    """Yield the primary differences under every combination of choices."""
    for number, curve in enumerate(curves(report, protocol.labels), start=1):
        draw, tabulate = partial(curve_spec, curve=curve), partial(curve_table, curve=curve)
        tell = partial(curve_finding, curve=curve)
        part: Part = "preference" if declared(curve.estimate.statistic).is_of_choices else "comparison"
        title = f"Every analysis of {curve.question}, {curve.name}"
        key = curve.estimate.question
        # a document has no room for further curves
        place: Place = "appendix" if number == 1 else "nowhere"
        yield Chart(f"specifications-{number}", part, key, title, (curve.estimate,), draw, tabulate, tell, place)


def _distributions(report: Report, protocol: Protocol, who: str, end: str, *, is_model: bool) -> Iterator[Chart]:
    """Yield one chart of all questions whose scales have as many points; questions about the rater have their own."""
    kinds = (distribution_spec, distribution_table, distribution_finding)
    scaled = protocol.scaled_questions
    about = {one.key: _of(report, "distribution", one.key, is_model=is_model) for one in scaled}
    of_raters = [one.key for one in scaled if one.target == "rater"]
    rated = [one for key, found in about.items() if key not in of_raters for one in found]
    groups = [*grouped_by_points(_ranked(rated, protocol)), *(about[key] for key in of_raters if about[key])]
    for number, group in enumerate(groups, start=1):
        keys = {one.question for one in group if one.n_ratings}
        question = protocol.question(keys.pop() or "") if len(keys) == 1 else None
        named = group if question else _named(group, protocol)
        about_which = f"Ratings of {and_list(dict.fromkeys(str(one.measured) for one in named), most=MAX_NAMES)}"
        title = _wording(question, protocol) if question else about_which if len(groups) > 1 else "Ratings"
        key = question.key if question else None
        yield Chart(f"distribution-{number}{end}", "comparison", key, f"{title}{who}", named, *kinds, "body")


def _wording(question: AnyQuestion, protocol: Protocol) -> str:
    """The wording of a question, after its label where another question asks the same, as before and after."""
    is_shared = [one.text for one in protocol.questions].count(question.text) > 1
    return f"{protocol.labels.question(question.key)}: {question.text}" if is_shared else question.text


def plane_axes(report: Report, wanted: tuple[str, str] | None) -> tuple[list[str], tuple[str, str] | None]:
    """Return the questions that the plane can show, and the two that it shows: the wanted ones if it can show them."""
    known = plane_questions(report.of("distribution"))
    if len(known) < len(("x", "y")):
        return known, None
    is_known = wanted is not None and set(wanted) <= set(known) and wanted[0] != wanted[1]
    return known, wanted if is_known else (known[0], known[1])


def _plane(report: Report, protocol: Protocol, wanted: tuple[str, str] | None) -> Iterator[Chart]:
    _, axes = plane_axes(report, wanted)
    if axes is None:
        return
    of_both = [f for key in axes for f in plane_means(report.of("distribution", key))]
    if len(points_of(of_both)) >= MIN_SOURCES:
        x, y = (protocol.labels.question(key) for key in axes)
        kinds = (partial(plane_spec, spans=[scale_ends(key, protocol) for key in axes]), plane_table, plane_finding)
        yield Chart("plane", "comparison", None, f"{x} and {y}", _named(of_both, protocol), *kinds)


def _beyond(report: Report, protocol: Protocol, axes: tuple[str, str] | None) -> Iterator[Chart]:
    """Yield the charts over several questions, and those of conditions, turns, raters and judges."""
    agreed = _listed(report.of("agreement"), protocol)
    if alphas(agreed):
        kinds = (agreement_spec, agreement_table, agreement_finding)
        yield Chart("agreement", "agreement", None, "Agreement between raters", agreed, *kinds)
    yield from _plane(report, protocol, axes)
    judged = _listed(report.of("judge"), protocol)
    if judge_rows(judged):
        kinds = (judges_spec, judges_table, judges_finding)
        yield Chart("judges", "judges", None, "Model judges and the human ceiling", judged, *kinds, "body")
    about_raters = report.of("rater")
    if rater_points(about_raters):
        kinds = (straight_lining_spec, straight_lining_table, straight_lining_finding)
        yield Chart("pace", "raters", None, "Time against straight-lining", about_raters, *kinds)
    yield from _by_question(report, protocol)


def _by_question(report: Report, protocol: Protocol) -> Iterator[Chart]:
    primary = _primary_questions(protocol)
    for number, question in enumerate(protocol.questions, start=1):
        key, label = question.key, protocol.labels.question(question.key)
        split_up, points = report.of("subgroup", key), scale_points(key, protocol)
        for nth, split in enumerate(splits_of(split_up)):
            draw = partial(conditions_spec, split=split, points=points)
            tell = partial(conditions_finding, split=split, among=split_up)
            title = f"{label}: {NAMES[split].lower()} by source"
            tabulate = partial(conditions_table, split=split)
            name = f"{split.replace('_', '-')}-{number}"
            # a body has room for the conditions of the questions that are compared first
            place: Place = "body" if key in primary and nth == 0 else "appendix"
            shown = tuple(split_means(split_up, split))
            yield Chart(name, "conditions", key, title, shown, draw, tabulate, tell, place)
        if over_turns := tuple(turn_means(report.of("contrast", key))):
            title, of_turns = f"{label}: turn by turn", partial(turns_spec, points=points)
            tell = partial(turns_finding, among=report.of("contrast", key))
            yield Chart(f"turns-{number}", "turns", key, title, over_turns, of_turns, turns_table, tell, "body")
        if paired := with_pairs(report.of("disagreement", key)):
            # a document has no room for one chart per question
            kinds = (rater_pairs_spec, rater_pairs_table, rater_pairs_finding)
            yield Chart(f"pairs-{number}", "raters", key, f"{label}: pairs of raters", (paired,), *kinds, "nowhere")
        of_judges = tuple(f for f in report.of("judge", key) if "pool" not in f.scope)
        if bins_of(of_judges):
            kinds = (calibration_spec, calibration_table, calibration_finding)
            title = f"Calibration of judges: {label}"
            yield Chart(f"calibration-{number}", "judges", key, title, of_judges, *kinds)


def _primary_questions(protocol: Protocol) -> set[str]:
    """The questions of primary contrasts, and those that make up their scores."""
    composites = protocol.analysis.composites
    names = (contrast.question for contrast in primary_contrasts(protocol))
    return {key for name in names for key in (composites[name].questions if name in composites else (name,))}


def _of(report: Report, section: str, question: str | None = None, *, is_model: bool) -> tuple[Estimate, ...]:
    found = report.of(section, question)
    return tuple(estimate for estimate in found if (estimate.scope.get("rater_kind") == "model") == is_model)


def _declared_pairs(report: Report, compared: Sequence[Estimate], *, is_model: bool) -> tuple[Estimate, ...]:
    """The differences of primary contrasts between two sources that are not among those `compared`."""
    known = {(one.measured, _pair(one)) for one in compared if one.statistic == "mean_difference"}
    pairs = {(one.measured, _pair(one)) for one in report.primary_estimates} - known
    return tuple(
        estimate
        for estimate in _of(report, "contrast", is_model=is_model)
        if estimate.statistic == "mean_difference" and (estimate.measured, _pair(estimate)) in pairs
    )


def _pair(estimate: Estimate) -> frozenset[str | None]:
    return frozenset((estimate.scope.get("source"), estimate.scope.get("reference")))


def _listed(estimates: Sequence[Estimate], protocol: Protocol) -> tuple[Estimate, ...]:
    """Those of primary questions first, each with the label of its question: for charts with a row per question."""
    return _named(_ranked(estimates, protocol), protocol)


def _ranked(estimates: Sequence[Estimate], protocol: Protocol) -> list[Estimate]:
    ranks = {key: rank for rank, key in enumerate(by_importance(protocol))}
    return sorted(estimates, key=lambda one: ranks.get(one.question or "", len(ranks)))


def _named(estimates: Sequence[Estimate], protocol: Protocol) -> tuple[Estimate, ...]:
    """Replace each question's key by its label, for charts that show several questions."""
    return tuple(
        replace(one, question=protocol.labels.question(one.question, one.category), category=None)
        if one.question
        else one
        for one in estimates
    )
