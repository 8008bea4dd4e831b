"""What the code of a model says: its rows, its terms and the estimates that it gives again. Read from a report."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.analysis.estimate import EFFECTS, HAS_SIDE, Estimate, Scope, without
from app.analysis.report.labelled import labelled_estimate
from app.analysis.report.report import Report
from app.analysis.wording.formatting import scope_text
from app.protocol.composite import Composite
from app.protocol.primary_default import first_question
from app.protocol.questions.registry import PreferenceQuestion
from app.protocol.study import Protocol
from app.stats.mixed.lmm_name import LMM
from app.stats.result import Procedure

# A random effect in a formula: R's lme4, ordinal and brms and Python's bambi write it alike. Effects of one factor are
# independent of each other, as in Attune's own fits.
TERMS = {
    "item": "(1 | item)",
    "item_slope": "(0 + x | item)",
    "rater": "(1 | rater)",
    "rater_slope": "(0 + x | rater)",
}
# Primary estimates that may be the difference of means, or the share with ties as half.
PLAIN = frozenset({"mean_difference", "equivalence", "non_inferiority", "share_preferred"})
# Parts of a scope that tell no two contrasts apart: a cut-off value, and that authors are the unit.
BEYOND = ("cut", "level")
FILTERED = "There is no code for filtered results. Remove the filters to get it."
WRITTEN_FOR = (
    "it is written only for the difference between two sources in what people rated or chose, not for rankings or "
    "differences between conditions, pools, times or slopes, whose models have other terms"
)
NOT_TWO = f"There is no code for {{}}: {WRITTEN_FOR}."
NO_CONTRAST = "There is no code, because no primary contrast has an estimate."


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A mixed model that the report fitted: its estimate, and the names of its random effects, keys of `TERMS`."""

    estimate: Estimate
    effects: tuple[str, ...]

    def formula(self, outcome: str, *fixed: str) -> str:
        """The formula that R and bambi share.

        >>> linear = Estimate("comparison", "warmth", {}, "mean_difference", 0.2)
        >>> FittedModel(linear, ("item", "rater")).formula("y", "x")
        'y ~ x + (1 | item) + (1 | rater)'
        """
        return f"{outcome} ~ {' + '.join([*fixed, *(TERMS[name] for name in self.effects)])}"


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """A question of a score; `ends` is the sum of its lowest and highest point if it is reversed, otherwise None."""

    key: str
    ends: float | None


@dataclass(frozen=True, slots=True)
class Score:
    """A composite: the mean of `questions`, or `times` as much for a sum, of at least `n_needed` answers."""

    questions: tuple[ScoredQuestion, ...]
    n_needed: int
    times: int


@dataclass(frozen=True, slots=True)
class ContrastModel:
    """Two sources on one question: what the code of one primary contrast is written from.

    Attributes:
        title: question and sources, by their labels.
        question: key of the question or composite.
        is_choice: whether raters chose between the two; otherwise they rated each.
        is_by_turn: whether every turn is rated.
        source, reference: keys of the sources.
        pool: the pool of raters; None for all.
        primary: the estimates of the contrast that the report shows as primary.
        plain: the difference of means, or the share with ties as half.
        linear, ordinal, choice: the mixed models that the report fitted.
        cuts: the lowest value of each class but the first, of the ordinal model.
        has_side: whether it is known on which side the source stood in each choice.
        score: how a composite is made; None for a question.
    """

    title: str
    question: str
    is_choice: bool
    is_by_turn: bool
    source: str
    reference: str
    pool: str | None
    primary: tuple[Estimate, ...]
    plain: Estimate
    linear: FittedModel | None = None
    ordinal: FittedModel | None = None
    choice: FittedModel | None = None
    cuts: tuple[float, ...] = ()
    has_side: bool = False
    score: Score | None = None

    @property
    def choice_formula(self) -> str:
        """The formula of the model of choices; empty without one."""
        fixed = ("1", "side") if self.has_side else ("1",)
        return self.choice.formula("y", *fixed) if self.choice else ""

    @property
    def fitted(self) -> tuple[FittedModel, ...]:
        """The mixed models, in the order in which the code has them."""
        return tuple(one for one in (self.linear, self.ordinal, self.choice) if one is not None)

    @property
    def given(self) -> tuple[Estimate, ...]:
        """The estimates that the code gives again."""
        return (self.plain, *(one.estimate for one in self.fitted))

    @property
    def others(self) -> list[Estimate]:
        """The primary tests that no model gives, such as a t test on item means."""
        return [one for one in self.primary if not any(_is_same(one, given) for given in self.given)]

    def is_primary(self, estimate: Estimate) -> bool:
        """Whether a primary estimate has the value of this one."""
        return any(_is_same(one, estimate) for one in self.primary)


def _is_same(primary: Estimate, given: Estimate) -> bool:
    is_one = primary.statistic == given.statistic or {primary.statistic, given.statistic} <= PLAIN
    return is_one and primary.estimate == given.estimate


@dataclass(frozen=True, slots=True)
class CodedStudy:
    """All that a script says: the study, which raters count, and its models; `left_out` says what has no code."""

    title: str
    slug: str
    is_simulated: bool
    are_raters_known: bool
    models: tuple[ContrastModel, ...]
    left_out: tuple[str, ...]


def coded_study(report: Report, protocol: Protocol) -> CodedStudy:
    """Return the models of the primary contrasts of a report that is not `labelled`; none of a filtered one."""
    groups: dict[tuple[object, ...], list[Estimate]] = {}
    for result in report.primary:
        for estimate in result.estimates:
            groups.setdefault(_compared(estimate), []).append(estimate)
    models = [(found[0], _model_of(found, report, protocol)) for found in groups.values()]
    without_code = [_title(first, protocol) for first, model in models if model is None]
    reasons = [FILTERED] if report.filters else [NOT_TWO.format(title) for title in dict.fromkeys(without_code)]
    return CodedStudy(
        protocol.title,
        protocol.slug,
        report.is_simulated,
        protocol.raters.identity == "known",
        () if report.filters else tuple(model for _, model in models if model is not None),
        tuple(reasons or ([] if models else [NO_CONTRAST])),
    )


def _compared(estimate: Estimate) -> tuple[object, ...]:
    """A key that is equal for contrasts with the same code, such as two tests of the same two sources."""
    scope = without(estimate.scope, *BEYOND)
    return estimate.measured, tuple(sorted((name, str(value)) for name, value in scope.items()))


def _title(estimate: Estimate, protocol: Protocol) -> str:
    """Question and what is compared, by their labels."""
    question = protocol.labels.question(estimate.question or "", estimate.category)
    return f"{question}: {scope_text(labelled_estimate(estimate, protocol.labels).scope)}"


def _model_of(primary: Sequence[Estimate], report: Report, protocol: Protocol) -> ContrastModel | None:
    """Return what the code of these tests is written from; None if they do not compare two sources by people."""
    first = primary[0]
    question = first_question(protocol, first.question or "")
    scope = without(first.scope, *BEYOND)
    same = [one for one in report.of(first.section, first.measured) if _is_of(one, scope)]
    ways = (one for one in same if one.statistic in {"mean_difference", "share_preferred"})
    plain = next((one for one in ways if one.procedure != LMM.procedure), None)
    is_two = {"source", "reference"} <= scope.keys() <= {"source", "reference", "pool"}
    if question is None or plain is None or plain.estimate is None or not is_two or first.category:
        return None
    if question.measure == "order":
        return None
    composite = protocol.analysis.composites.get(first.question or "")
    cuts = [one.scope["cut"] for one in report.of(first.section, first.measured) if _is_threshold(one, scope)]
    return ContrastModel(
        title=_title(replace(first, scope=scope), protocol),
        question=first.question or "",
        is_choice=isinstance(question, PreferenceQuestion),
        is_by_turn=question.target == "turn",
        source=str(scope["source"]),
        reference=str(scope["reference"]),
        pool=scope.get("pool"),
        primary=tuple(primary),
        plain=plain,
        linear=_fitted(same, "mean_difference", LMM.procedure),
        ordinal=_fitted(same, "odds_ratio_clmm", "clmm_laplace") if cuts else None,
        choice=_fitted(same, "share_preferred_glmm", "glmm_laplace"),
        cuts=tuple(cuts),
        has_side=any(one.detail.get(HAS_SIDE) for one in same),
        score=_score(composite, protocol) if composite else None,
    )


def _is_of(estimate: Estimate, scope: Scope) -> bool:
    return estimate.scope == scope and estimate.unit in {"rating", "choice"}


def _is_threshold(estimate: Estimate, scope: Scope) -> bool:
    return estimate.statistic == "threshold_clmm" and without(estimate.scope, "cut") == scope


def _fitted(found: Sequence[Estimate], statistic: str, procedure: Procedure | None) -> FittedModel | None:
    of_model = (one for one in found if one.statistic == statistic and one.procedure == procedure)
    fitted = (one for one in of_model if one.estimate is not None and EFFECTS in one.detail)
    return next((FittedModel(one, tuple(one.detail[EFFECTS])) for one in fitted), None)


def _score(composite: Composite, protocol: Protocol) -> Score:
    asked = [one for key in composite.questions for one in protocol.scaled_questions if one.key == key]
    return Score(
        tuple(ScoredQuestion(one.key, one.values[0] + one.values[-1] if one.reversed else None) for one in asked),
        composite.n_needed,
        len(asked) if composite.score == "sum" else 1,
    )
