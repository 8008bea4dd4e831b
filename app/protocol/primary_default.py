"""The default contrast of a question, and the primary contrasts of a whole study."""

from collections.abc import Iterator

from app.protocol.primary import TESTS, PrimaryContrast, is_of_texts, tests_for
from app.protocol.questions.registry import AnyQuestion
from app.protocol.study_parts import ProtocolParts

_OF_GROUPS = (
    "pool_difference",
    "pool_accuracy_difference",
    "pool_category_difference",
    "pool_preference_difference",
    "pool_span_f1_difference",
)
# The tests implied by a part that is set; the first one that fits the question is used.
TESTS_BY_PART = {
    "factor": ("factor_effect", "change_difference"),
    "attribute": ("attribute_effect", "item_attribute_accuracy", "item_attribute_category", "amce"),
    "code": ("category_difference",),
    "reference_pool": _OF_GROUPS,
    "reference_rater_kind": _OF_GROUPS,
    "covariate": ("covariate_slope",),
}


def primary_contrasts(protocol: ProtocolParts) -> tuple[PrimaryContrast, ...]:
    """The declared primary contrasts, each with its test.

    If none is declared: the default contrast of the first question that has one and is not about the rater.
    """
    declared = protocol.analysis.primary
    if declared:
        return tuple(contrast.with_test(str(test_of(protocol, contrast))) for contrast in declared)
    derived = (default_contrast(protocol, question.key) for question in _not_about_raters(protocol))
    first = next((contrast for contrast in derived if contrast is not None), None)
    return () if first is None else (first,)


def by_importance(protocol: ProtocolParts) -> list[str]:
    """The keys of all questions and composites as results list them: primary contrasts first, the rater's own last."""
    primary = [one.question for one in primary_contrasts(protocol) if not is_of_texts(one)]
    about_raters = [question.key for question in protocol.questions if question.target == "rater"]
    others = [question.key for question in _not_about_raters(protocol)]
    scores = sorted(protocol.analysis.composites, key=lambda name: _is_about_raters(protocol, name))
    n_others = sum(not _is_about_raters(protocol, name) for name in scores)
    found = [*primary, *others, *scores[:n_others], *about_raters, *scores[n_others:]]
    return list(dict.fromkeys(found))


def _is_about_raters(protocol: ProtocolParts, name: str) -> bool:
    question = first_question(protocol, name)
    return question is not None and question.target == "rater"


def _not_about_raters(protocol: ProtocolParts) -> Iterator[AnyQuestion]:
    yield from (question for question in protocol.questions if question.target != "rater")


def test_of(protocol: ProtocolParts, contrast: PrimaryContrast) -> str | None:
    """The test that a contrast names, otherwise the one implied by its parts or its question."""
    if contrast.test is not None:
        return contrast.test
    question = first_question(protocol, contrast.question)
    meant = [test for part in contrast.named for test in TESTS_BY_PART.get(part, ())]
    if question is not None and meant:
        if contrast.attribute in protocol.analysis.conjoint:
            return "amce"
        fits = (test for test in meant if test in tests_for(question))
        return next((test for test in fits if question.has_key() or not TESTS[test].needs_key), meant[0])
    default = default_contrast(protocol, contrast.question)
    return default.test if default else None


def default_contrast(protocol: ProtocolParts, key: str) -> PrimaryContrast | None:
    """The default comparison for a question or composite: sources, else conditions, else pools, else agreement."""
    question = first_question(protocol, key)
    if question is None:
        return None
    own = _of_its_own(protocol, question, key)
    test = own if own is not None else _by_design(protocol, question)
    factor = next(iter(protocol.conditions)) if test == "factor_effect" else None
    return PrimaryContrast(question=key, test=test, factor=factor) if test else None


def _of_its_own(protocol: ProtocolParts, question: AnyQuestion, key: str) -> str | None:
    """The test for highlights, questions about the rater (empty if none) and answer keys; None for all others."""
    if question.measure == "passages":
        return "span_f1" if question.has_key() else "span_alpha"
    if question.target == "rater":
        return "change" if any(change.after == key for change in protocol.analysis.changes) else ""
    return "accuracy_share" if question.measure == "codes" and question.has_key() else None


def _by_design(protocol: ProtocolParts, question: AnyQuestion) -> str | None:
    measure = question.measure
    if len(protocol.sources) > 1 and question.target != "item":
        return _between_sources(question)
    if measure == "scale" and protocol.conditions:
        return "factor_effect"
    if measure == "scale" and len(protocol.design.pools) > 1:
        return "pool_difference"
    return "krippendorff_alpha" if measure in {"scale", "preference", "codes"} else None


def first_question(protocol: ProtocolParts, key: str) -> AnyQuestion | None:
    """The question with this key; for a composite its first question, whose kind and target all of them share."""
    composite = protocol.analysis.composites.get(key)
    return protocol.question(composite.questions[0] if composite else key)


def _between_sources(question: AnyQuestion) -> str | None:
    by_measure = {
        "scale": "turn_slope_difference" if question.target == "turn" else "mean_difference",
        "preference": "share_preferred",
        "order": "share_preferred",
        "codes": "category_difference",
    }
    return by_measure.get(question.measure)
