"""Problems with the primary contrasts of a protocol, one sentence each, naming the position in the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.broken_rule import broken
from app.design.protocol.parts.primary_tests import TESTS, tests_for
from app.design.protocol.primary_default import first_question, has_key, test_of
from app.design.questions.kinds.category import CategoryQuestion
from app.design.word_lists import or_list

if TYPE_CHECKING:
    from collections.abc import Collection

    from app.design.broken_rule import Broken
    from app.design.protocol.parts.primary import PrimaryContrast
    from app.design.protocol.study_parts import ProtocolParts
    from app.design.questions.kinds.registry import AnyQuestion

SHOWN_LABEL = "shown_label"
# Tests of the proportion of ratings at or above the cut-off value.
WITH_CUT = {"share_at_least_ratio", "percent_change_at_least"}


def primary_problems(protocol: ProtocolParts) -> Broken:
    """Undeclared names, parts that a test does not take or that it lacks, and duplicate contrasts."""
    contrasts = protocol.analysis.primary
    for place, contrast in enumerate(contrasts, 1):
        part = f"analysis.primary.{place}"
        yield from _of_one(protocol, contrast, part)
        if contrast in contrasts[: place - 1]:
            same = contrasts.index(contrast) + 1
            yield broken(part, "must differ from all other contrasts", f"the same as analysis.primary.{same}")


def _of_one(protocol: ProtocolParts, contrast: PrimaryContrast, part: str) -> Broken:
    question = first_question(protocol, contrast.question)
    if question is None:
        known = or_list([*(question.key for question in protocol.questions), *protocol.analysis.composites])
        yield broken(f"{part}.question", f"must be a question or a composite ({known})", contrast.question)
    else:
        yield from [*_test(protocol, contrast, question, part)] or _names(protocol, contrast, question, part)


def _test(protocol: ProtocolParts, contrast: PrimaryContrast, question: AnyQuestion, part: str) -> Broken:
    """Problems with the test and the parts that it takes."""
    name, fitting = test_of(protocol, contrast), tests_for(question)
    if not fitting:
        yield broken(f"{part}.question", "must be a question that can be compared", contrast.question)
    elif name is None:
        yield broken(f"{part}.test", f"must be one of {', '.join(fitting)}", "nothing")
    elif name not in fitting:
        yield broken(f"{part}.test", f"must be one of {', '.join(fitting)} for {contrast.question}", name)
    else:
        yield from _parts(contrast, name, part)
        yield from _margin(protocol, contrast, name, part)
        yield from _turns(question, name, part)
        yield from _published(contrast, name, fitting, part)


def _published(contrast: PrimaryContrast, name: str, fitting: list[str], part: str) -> Broken:
    """A test of a publication that does not compare the same as the primary test does."""
    if contrast.published is None:
        return
    same = [one for one in fitting if one != name and TESTS[one].compares == TESTS[name].compares]
    if contrast.published not in same:
        yield broken(f"{part}.published", f"must be one of {', '.join(same) or 'none'}", contrast.published)


def _parts(contrast: PrimaryContrast, name: str, part: str) -> Broken:
    """Parts that the test needs or does not take."""
    test, named = TESTS[name], contrast.named
    for need in test.needs:
        if need not in named:
            yield broken(f"{part}.{need}", f"must be set for the test {name}", "nothing")
    allowed = (*test.needs, *test.may)
    words = ", ".join(allowed) or "only the question"
    for other in named:
        if other not in allowed:
            yield broken(part, f"must name {words} for the test {name}", other)


def _margin(protocol: ProtocolParts, contrast: PrimaryContrast, name: str, part: str) -> Broken:
    declared = protocol.analysis.margin_of(contrast.question)
    if "margin" in TESTS[name].may and declared is None:
        yield broken(f"{part}.margin", "must be the largest difference that does not matter", "nothing")
    if contrast.margin is not None and contrast.margin != declared:
        yield broken(
            f"{part}.margin", f"must equal the margin of {contrast.question}, {declared:g}", f"{contrast.margin:g}"
        )
    if name in WITH_CUT and contrast.question not in protocol.analysis.cut:
        yield broken(f"{part}.test", f"{name} needs a value for the question in analysis.cut", "none")


def _turns(question: AnyQuestion, name: str, part: str) -> Broken:
    if TESTS[name].compares == "turns" and question.target != "turn":
        yield broken(f"{part}.test", f"{name} needs a question with the target turn", question.target)


def _names(protocol: ProtocolParts, contrast: PrimaryContrast, question: AnyQuestion, part: str) -> Broken:
    """Names that are not declared elsewhere. Attributes and covariates may be columns of the study's files."""
    factor = contrast.factor
    known: dict[str, Collection[str]] = {
        "source": protocol.sources,
        "reference": protocol.sources,
        "factor": {*protocol.conditions, SHOWN_LABEL},
        "pool": protocol.design.pools,
        "reference_pool": protocol.design.pools,
        "code": question.codes if isinstance(question, CategoryQuestion) else (),
    }
    if factor in protocol.conditions:
        known["level"] = protocol.conditions[factor].levels
    if test_of(protocol, contrast) == "attribute_effect":
        known["attribute"] = [name for source in protocol.sources.values() for name in source.attributes]
    scores = (*(one.key for one in protocol.scaled_questions), *protocol.analysis.composites)
    about_raters = (key for key in scores if getattr(first_question(protocol, key), "target", "") == "rater")
    known["covariate"] = [*protocol.analysis.covariates, *about_raters]
    for name, value in contrast.named.items():
        if name in known and value not in known[name]:
            yield broken(f"{part}.{name}", f"must be one of {', '.join(known[name]) or 'none'}", value)
    if contrast.source is not None and contrast.source == contrast.reference:
        yield broken(f"{part}.reference", f"must be a source other than {contrast.source}", "the same")
    yield from _declared(protocol, contrast, question, part)


def _declared(protocol: ProtocolParts, contrast: PrimaryContrast, question: AnyQuestion, part: str) -> Broken:
    """Missing settings that a test needs elsewhere in the protocol, such as an answer key or a believed source."""
    analysis, compares = protocol.analysis, TESTS[str(test_of(protocol, contrast))].compares
    name, key = test_of(protocol, contrast), contrast.question
    if (compares == "accuracy" or name == "span_f1") and not has_key(question):
        yield broken(f"{part}.question", "must be a question with correct or correct_column", question.key)
    if compares == "change" and key not in (change.after for change in analysis.changes):
        yield broken(f"{part}.question", "must be the `after` score of one of analysis.changes", key)
    if compares == "conjoint" and contrast.attribute not in analysis.conjoint:
        yield broken(f"{part}.attribute", "must be one of analysis.conjoint", contrast.attribute)
    declared = analysis.empathic_accuracy
    if compares == "empathic_accuracy" and (declared is None or declared.answered != key):
        yield broken(f"{part}.question", "must be the one that perceivers answer in analysis.empathic_accuracy", key)
    if compares == "belief" and analysis.believed_source is None:
        yield broken(f"{part}.test", "needs analysis.believed_source", "none")
