"""Whether the parts of a protocol are consistent: every name used in one part is declared in another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.broken_rule import broken
from app.design.protocol.parts.cells import cell_of, cells
from app.design.protocol.parts.composite import composite_problems
from app.design.protocol.parts.declared_contrasts import change_problems, empathic_problems
from app.design.protocol.parts.labels import same_labels
from app.design.protocol.problems.monitoring_problems import monitoring_problems
from app.design.protocol.problems.primary_problems import primary_problems
from app.design.protocol.problems.show_if_problems import show_if_problems
from app.design.protocol.problems.swapped_labels import swapped_source
from app.design.questions.kinds.category import CategoryQuestion
from app.design.questions.kinds.ranking import MIN_RANKED
from app.design.word_lists import and_list, counted, or_list

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from app.design.broken_rule import Broken
    from app.design.protocol.study_parts import ProtocolParts

MANY_CELLS = 200
# With two sources there is only one pair, so there is nothing to select.
MANY_ENOUGH = 3


def problems_between_parts(protocol: ProtocolParts) -> Broken:
    """Every inconsistency."""
    yield from _questions(protocol)
    yield from _labels(protocol)
    yield from _reference_levels(protocol)
    yield from _analysis(protocol)
    yield from _conditions(protocol)
    yield from _adaptive(protocol)
    yield from _rankings(protocol)
    yield from _flow(protocol)
    yield from _checks(protocol)
    yield from show_if_problems(protocol)


def _unknown(part: str, what: str, names: Iterable[str], known: Collection[str]) -> Broken:
    if other := sorted(set(names) - set(known)):
        yield broken(part, f"must name {what} ({or_list(known)})", ", ".join(other))


def _questions(protocol: ProtocolParts) -> Broken:
    keys = [question.key for question in protocol.questions]
    keys += [check.key for check in (*protocol.checks.attention, *protocol.checks.comprehension)]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        yield broken("questions", "and checks must each have their own key", f"{and_list(twice)} more than once")
    parts = {part for cell in cells(protocol.conditions) for part in cell.levels}
    for question in protocol.questions:
        if protocol.conditions and question.condition and not set(cell_of(question.condition).levels) <= parts:
            yield broken("questions", "must name conditions of the study as factor=level", question.condition)


def _labels(protocol: ProtocolParts) -> Broken:
    yield from same_labels("sources", [source.label for source in protocol.sources.values()])
    composites = [composite.label for composite in protocol.analysis.composites.values()]
    yield from same_labels("questions", [*(question.label for question in protocol.questions), *composites])
    yield from same_labels("conditions", [factor.label for factor in protocol.conditions.values()])
    for name, factor in protocol.conditions.items():
        yield from same_labels(f"conditions.{name}.level_labels", [*factor.level_labels.values()])
    yield from same_labels("design.pools", [pool.label for pool in protocol.design.pools.values()])
    yield from same_labels("attributes", [attribute.label for attribute in protocol.attributes.values()])


def _reference_levels(protocol: ProtocolParts) -> Broken:
    """Reference levels that no source has; those of columns are found with the data."""
    for name, attribute in protocol.attributes.items():
        values = [source.attributes[name] for source in protocol.sources.values() if name in source.attributes]
        levels = dict.fromkeys(map(str, values))
        if attribute.reference_level is not None and levels and attribute.reference_level not in levels:
            rule = f"must be the {name} of a source ({or_list(levels)})"
            yield broken(f"attributes.{name}.reference_level", rule, attribute.reference_level)


def _analysis(protocol: ProtocolParts) -> Broken:
    analysis = protocol.analysis
    if analysis.reference is not None and analysis.reference not in protocol.sources:
        known = or_list(protocol.sources)
        yield broken("analysis.reference", f"must be one of the sources ({known})", analysis.reference)
    scaled = [question.key for question in protocol.scaled_questions]
    yield from _unknown("analysis.cut", "rating questions", analysis.cut, scaled)
    yield from _unknown("analysis.margin", "rating questions", analysis.margin, scaled)
    questions = {question.key: question for question in protocol.scaled_questions}
    for key, cut in analysis.cut.items():
        values = questions[key].values if key in questions else ()
        if values and not values[0] <= cut <= values[-1]:
            yield broken(f"analysis.cut.{key}", f"must be from {values[0]:g} to {values[-1]:g}", f"{cut:g}")
    yield from change_problems(analysis.changes, questions, analysis.composites)
    yield from empathic_problems(analysis.empathic_accuracy, questions, protocol.design.pools)
    for name, composite in analysis.composites.items():
        yield from composite_problems(name, composite, protocol.scaled_questions)
    yield from primary_problems(protocol)
    yield from monitoring_problems(protocol)
    yield from _believed_source(protocol)


def _believed_source(protocol: ProtocolParts) -> Broken:
    believed = protocol.analysis.believed_source
    if believed is None:
        return
    question = protocol.question(believed.question)
    if not isinstance(question, CategoryQuestion):
        yield broken("analysis.believed_source.question", "must be a category question", believed.question)
    else:
        yield from _unknown("analysis.believed_source.means", "codes of the question", believed.means, question.codes)
    sources = (source for named in believed.means.values() for source in named)
    yield from _unknown("analysis.believed_source.means", "sources", sources, protocol.sources)
    if believed.confidence and believed.confidence not in {q.key for q in protocol.scaled_questions}:
        yield broken("analysis.believed_source.confidence", "must be a rating question", believed.confidence)


def _conditions(protocol: ProtocolParts) -> Broken:
    kinds = [factor.kind for factor in protocol.conditions.values()]
    if twice := sorted({kind for kind in kinds if kinds.count(kind) > 1}):
        yield broken("conditions", "must have at most one factor of each kind", f"{and_list(twice)} more than once")
    if len(cells(protocol.conditions)) > MANY_CELLS:
        yield broken("conditions", f"must cross to at most {MANY_CELLS} cells", len(cells(protocol.conditions)))
    for name, factor in protocol.conditions.items():
        part = f"conditions.{name}"
        if factor.kind == "source":
            yield from _unknown(f"{part}.levels", "sources", factor.levels, protocol.sources)
        yield from _unknown(f"{part}.swaps", "sources", [*factor.swaps, *factor.swaps.values()], protocol.sources)
        if "swapped" in factor.levels:
            alone = [source for source in protocol.sources if swapped_source(protocol.sources, factor, source) is None]
            if alone:
                yield broken(
                    f"{part}.swaps", "must name the source whose label each gets", f"none for {', '.join(alone)}"
                )
            if protocol.flow.debrief is None:
                yield broken("flow.debrief", "must tell raters the true source if labels are swapped", "nothing")


def _adaptive(protocol: ProtocolParts) -> Broken:
    design = protocol.design
    if design.adaptive is None:
        return
    choices = [question.key for question in protocol.choice_questions]
    yield from _unknown(
        "design.adaptive", "a question that asks raters to choose a response of a pair", [design.adaptive], choices
    )
    if len(protocol.sources) < MANY_ENOUGH:
        yield broken("design.adaptive", f"needs at least {MANY_ENOUGH} sources", len(protocol.sources))
    if design.trials not in {None, "pairs"}:
        yield broken("design.adaptive", "needs trials of pairs", design.trials)
    if design.trials_per_rater is None:
        yield broken("design.adaptive", "needs design.trials_per_rater", "nothing")
    if within := [name for name, factor in protocol.conditions.items() if factor.assign == "within"]:
        yield broken("design.adaptive", "needs conditions that vary between raters", ", ".join(within))


def _rankings(protocol: ProtocolParts) -> Broken:
    if not protocol.ranking_questions:
        return
    if protocol.design.trials not in {None, "set"}:
        yield broken("design.trials", "must be `set` if responses are ranked", protocol.design.trials)
    if protocol.design.adaptive is not None:
        yield broken("design.adaptive", "must not be set if responses are ranked", protocol.design.adaptive)
    for name, factor in protocol.conditions.items():
        if factor.kind == "layout":
            yield broken(f"conditions.{name}", "must not be of kind layout if responses are ranked", "layout")
    for keys in protocol.design.listed:
        if len(set(keys)) < MIN_RANKED:
            yield broken("design.listed", "must name at least three responses per trial for a ranking", ", ".join(keys))


def _flow(protocol: ProtocolParts) -> Broken:
    flow = protocol.flow
    about_rater = [question.key for question in protocol.questions if question.target == "rater"]
    named = [*(flow.eligibility.accept if flow.eligibility else ())]
    named += [key for questionnaire in (*flow.before, *flow.after) for key in questionnaire.questions]
    yield from _unknown("flow", "questions about the rater", named, about_rater)
    if twice := sorted({key for key in named if named.count(key) > 1}):
        yield broken("flow", "must ask each question about the rater only once", f"{and_list(twice)} more than once")
    pools = [pool for questionnaire in (*flow.before, *flow.after) for pool in questionnaire.pools]
    yield from _unknown("flow", "pools from design.pools", pools, protocol.design.pools)
    shown = [question.key for question in protocol.questions if question.target in {"response", "item"}]
    yield from _unknown("flow.revisit", "questions about a response or an item", flow.revisit, shown)
    keys = [question.key for question in protocol.questions]
    for trial in flow.practice.trials if flow.practice else ():
        yield from _unknown("flow.practice", "questions", trial.expect, keys)


def _checks(protocol: ProtocolParts) -> Broken:
    keys = [question.key for question in protocol.questions]
    checks = protocol.checks
    for trial in checks.gold:
        yield from _unknown("checks.gold", "questions", trial.expect, keys)
    if checks.flag_at is not None and checks.flag_at > checks.n_scored:
        has = f"{counted(len(checks.attention), 'attention check')} and {counted(len(checks.gold), 'gold trial')}"
        rule = f"must be at most the number of checks, or nobody can be flagged (the study has {has})"
        yield broken("checks.flag_at", rule, checks.flag_at)
