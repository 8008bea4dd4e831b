"""Primary contrasts: the comparisons that a study is about, each with its one test. All others are exploratory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.protocol.conditions import level_name
from app.protocol.questions.question import Key, Measure
from app.protocol.questions.registry import AnyQuestion

# The tests and estimates that a primary contrast can name: what each compares, and its questions and parts.

Compared = Literal[
    "sources",
    "factor",
    "attribute",
    "item_attribute",
    "pools",
    "turns",
    "covariate",
    "belief",
    "accuracy",
    "agreement",
    "change",
    "conjoint",
    "empathic_accuracy",
    "spans",
    "texts",
    "structure",
]
# The parts that can be set to select one of several contrasts.
PARTS = (
    "source",
    "reference",
    "factor",
    "level",
    "attribute",
    "code",
    "pool",
    "reference_pool",
    "rater_kind",
    "reference_rater_kind",
    "covariate",
    "margin",
)
# The measures of texts that a contrast can name beside imported scores and declared word lists.
TEXT_MEASURES = (
    *("characters", "words", "lix", "question_share", "emoji", "exclamation_marks", "punctuation", "flesch"),
    *("sentiment", "first_person_share", "advice_share"),
)
RaterKind = Literal["person", "model"]
# The kinds of raters in sentences.
KINDS = {"person": "people", "model": "models"}


@dataclass(frozen=True, slots=True)
class PrimaryTest:
    """A test: the kind of contrast, what its questions measure, and required (`needs`) and optional (`may`) parts.

    `needs_key`: the question needs correct answers. `of_raters`: whether its questions are about the rater; None for
    both kinds.
    """

    compares: Compared
    measures: tuple[Measure, ...]
    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    needs_key: bool = False
    of_raters: bool | None = False


_TWO = ("source", "reference", "pool")
_RATED = PrimaryTest("sources", ("scale",), may=_TWO)
_MARGIN = PrimaryTest("sources", ("scale",), may=(*_TWO, "margin"))
_GROUPS = ("pool", "reference_pool", "rater_kind", "reference_rater_kind")
# the raters that a contrast is limited to
_OF = ("pool", "rater_kind")
_AGREED = PrimaryTest("agreement", ("scale", "preference", "codes"), may=("source", "pool", "code"))

TESTS: dict[str, PrimaryTest] = {
    "mean_difference": _RATED,
    "mean_difference_lmm": _RATED,
    "mean_difference_responders": _RATED,
    "t_paired": _RATED,
    "t_unpaired": _RATED,
    "wilcoxon": _RATED,
    "mann_whitney": _RATED,
    "odds_ratio_clmm": _RATED,
    "prob_superiority": _RATED,
    "chi_square": _RATED,
    "chi_square_all_sources": PrimaryTest("sources", ("scale",), may=("pool",)),
    "share_at_least_ratio": _RATED,
    "percent_change": _RATED,
    "percent_change_at_least": _RATED,
    "equivalence": _MARGIN,
    "non_inferiority": _MARGIN,
    "share_preferred": PrimaryTest("sources", ("preference", "order"), may=_TWO),
    "share_preferred_glmm": PrimaryTest("sources", ("preference",), may=_TWO),
    "share_preferred_wilson_cc": PrimaryTest("sources", ("preference",), may=_TWO),
    "category_difference": PrimaryTest("sources", ("codes",), may=("source", "reference", "code")),
    "stuart_maxwell": PrimaryTest("sources", ("codes",), may=("source", "reference")),
    "factor_effect": PrimaryTest("factor", ("scale",), needs=("factor",), may=("level", "source")),
    "interaction": PrimaryTest("factor", ("scale",), needs=("factor",), may=("level", "source", "reference")),
    "attribute_effect": PrimaryTest("attribute", ("scale",), needs=("attribute",), may=("level",)),
    "item_attribute_effect": PrimaryTest(
        "item_attribute", ("scale",), needs=("attribute",), may=("level", "source", *_OF)
    ),
    "item_attribute_accuracy": PrimaryTest(
        "item_attribute", ("codes",), needs=("attribute",), may=("level", *_OF), needs_key=True
    ),
    "item_attribute_category": PrimaryTest(
        "item_attribute", ("codes",), needs=("attribute",), may=("level", "code", *_OF)
    ),
    "item_attribute_interaction": PrimaryTest(
        "item_attribute", ("codes",), needs=("attribute",), may=("level", "code", "source", "reference", *_OF)
    ),
    "item_attribute_preference": PrimaryTest(
        "item_attribute", ("preference",), needs=("attribute",), may=("level", "source", *_OF)
    ),
    "pool_difference": PrimaryTest("pools", ("scale",), may=_GROUPS, of_raters=None),
    "pool_correlation": PrimaryTest("pools", ("scale",), may=_GROUPS),
    "pool_change_difference": PrimaryTest("pools", ("scale",), may=_GROUPS, of_raters=True),
    "pool_accuracy_difference": PrimaryTest("pools", ("codes",), may=_GROUPS, needs_key=True, of_raters=None),
    "pool_f1_difference": PrimaryTest("pools", ("codes",), may=_GROUPS, needs_key=True),
    "pool_category_difference": PrimaryTest("pools", ("codes",), may=("code", *_GROUPS), of_raters=None),
    "pool_preference_difference": PrimaryTest("pools", ("preference",), may=("source", "reference", *_GROUPS)),
    "pool_span_f1_difference": PrimaryTest("pools", ("passages",), may=_GROUPS, needs_key=True),
    "pool_empathic_difference": PrimaryTest("pools", ("scale",), may=_GROUPS),
    "turn_slope": PrimaryTest("turns", ("scale",), may=("source",)),
    "turn_slope_difference": PrimaryTest("turns", ("scale",), may=("source", "reference")),
    "covariate_slope": PrimaryTest("covariate", ("scale",), needs=("covariate",), may=("source",)),
    "covariate_slope_difference": PrimaryTest(
        "covariate", ("scale",), needs=("covariate",), may=("source", "reference")
    ),
    "dprime": PrimaryTest("belief", ("codes",), may=("pool",)),
    "belief_effect": PrimaryTest("belief", ("scale",), may=("source", "pool")),
    "accuracy_share": PrimaryTest("accuracy", ("codes",), may=("source", "pool"), needs_key=True),
    "f1_macro": PrimaryTest("accuracy", ("codes",), may=("source",), needs_key=True),
    "change": PrimaryTest("change", ("scale",), may=("factor", "level"), of_raters=True),
    "change_difference": PrimaryTest("change", ("scale",), needs=("factor",), may=("level",), of_raters=True),
    "amce": PrimaryTest("conjoint", ("scale", "preference"), needs=("attribute",), may=("level",)),
    "trade_off": PrimaryTest("conjoint", ("scale", "preference"), needs=("attribute",), may=("level",)),
    "empathic_accuracy": PrimaryTest("empathic_accuracy", ("scale",), may=("pool",)),
    "span_f1": PrimaryTest("spans", ("passages",), may=("source", "pool"), needs_key=True),
    "span_alpha": PrimaryTest("spans", ("passages",), may=("source", "pool")),
    "text_difference": PrimaryTest("texts", (), may=("source", "reference")),
    "n_factors": PrimaryTest("structure", ("scale",), of_raters=None),
    "krippendorff_alpha": _AGREED,
    "fleiss_kappa": _AGREED,
    "gwet_ac1": _AGREED,
    "gwet_ac2": _AGREED,
    "icc_a_1": _AGREED,
    "icc_a_k": _AGREED,
}


def is_of_texts(contrast: PrimaryContrast) -> bool:
    """Whether a contrast compares the texts of the responses by a measure, not the answers to a question."""
    return contrast.test in TESTS and TESTS[contrast.test].compares == "texts"


def tests_for(question: AnyQuestion) -> list[str]:
    """Names of the tests that fit a question. Those about the rater allow tests of change and of groups of raters."""
    is_of_rater = question.target == "rater"
    return [
        name
        for name, test in TESTS.items()
        if question.measure in test.measures and test.of_raters in {None, is_of_rater}
    ]


class PrimaryContrast(BaseModel):
    """One question, one test, and what is compared. In study.yaml a plain key means its default contrast.

    A part that is left out means all of them: without a `source`, each source against the reference is a separate
    contrast. `test` is a key of `TESTS`; if it is None, `test_of` determines it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    question: Key
    """A question or a composite; for `text_difference`, a measure of the texts or a column of responses.csv."""
    test: str | None = None
    """The test or estimate, from the table below."""
    source: str | None = None
    """The source that is compared; default: each source but the reference."""
    reference: str | None = None
    """The source that it is compared with; default: `reference` of `analysis`."""
    factor: str | None = None
    """The condition whose effect is estimated, or `shown_label` for what raters were told about the source."""
    level: str | None = None
    """The level of the factor; default: each level against the first."""
    attribute: str | None = None
    """The attribute of the sources, responses or items whose effect is estimated."""
    code: str | None = None
    """The code of a category question; default: each code."""
    pool: str | None = None
    """The pool of raters; default: all people."""
    reference_pool: str | None = None
    """The pool that it is compared with."""
    rater_kind: RaterKind | None = None
    """In place of a pool, all people (`person`) or all models (`model`)."""
    reference_rater_kind: RaterKind | None = None
    """The kind of raters to compare with, instead of a pool."""
    covariate: str | None = None
    """A question or composite about the rater, or one of `covariates` of `analysis`."""
    margin: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """For `equivalence` and `non_inferiority`; default: `margin` of `analysis`, which must not differ."""
    published: str | None = None
    """A test of the same contrast that a publication reports: shown beside the result for comparison, decides nothing.
    """

    @model_validator(mode="before")
    @classmethod
    def _from_key(cls, data: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
        if isinstance(data, dict):
            level = data.get("level")
            return data if level is None else {**data, "level": level_name(level)}
        return {"question": data}

    def with_test(self, name: str) -> Self:
        """The same contrast with this test."""
        return self.model_copy(update={"test": name})

    @property
    def as_published(self) -> Self | None:
        """The same contrast with the test of the publication; None without one."""
        return None if self.published is None else self.with_test(self.published)

    @property
    def named(self) -> dict[str, Any]:
        """The parts that are set, by name."""
        return {part: value for part in PARTS if (value := getattr(self, part)) is not None}
