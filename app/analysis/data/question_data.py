"""Question data: one question with its answers and the lead's declarations about it."""

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from app.analysis.data.answers import Answers, Choices, Where
from app.analysis.data.encoded_study import Codes
from app.analysis.estimate import Estimate, Scope, Unit, estimate_of
from app.analysis.minimum_data import with_minimum_data, without_uninformative_interval
from app.analysis.statistic import declared
from app.protocol.questions.registry import OrderQuestion, PreferenceQuestion, ScaledQuestion
from app.protocol.questions.scale import Level
from app.stats.clusters import for_new_raters, kept_within
from app.stats.result import Result

# With more ratings, mixed models and resampling take minutes, and are run on demand only.
MAX_RATINGS = 20_000
TOO_MANY = "left out above 20,000 ratings; run with --full"
SomeQuestion = TypeVar("SomeQuestion", bound=ScaledQuestion | PreferenceQuestion | OrderQuestion)
SomeAnswers = TypeVar("SomeAnswers", bound=Answers)


@dataclass(frozen=True, eq=False)
class QuestionData(Generic[SomeQuestion, SomeAnswers]):
    """A question, all answers to it, and whether mixed models are fitted to large studies too."""

    codes: Codes
    question: SomeQuestion
    answers: SomeAnswers
    reference: str | None
    cut: float | None = None
    margin: float | None = None
    full: bool = False
    is_composite: bool = False
    category: str | None = None  # if the data are about one category of the question

    @property
    def is_light(self) -> bool:
        """Whether the study is small enough for slow methods, or they were requested."""
        return self.full or len(self.codes.rows.question) <= MAX_RATINGS

    @property
    def level(self) -> Level:
        """The level of measurement; choices have no order."""
        return self.question.level if isinstance(self.question, ScaledQuestion) else "nominal"

    @property
    def is_nominal(self) -> bool:
        """Whether the answers have no order."""
        return self.level == "nominal"

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that the question compares; empty if it is not about responses.

        Turns have a source if each response is a whole conversation.
        """
        is_compared = self.question.target in {"response", "pair", "set"} or bool((self.answers.source >= 0).any())
        return self.codes.sources if is_compared else ()

    def code_of(self, source: str) -> int:
        """Return the code of a source."""
        return self.codes.sources.index(source)

    @property
    def is_of_raters(self) -> bool:
        """Whether the question is about the rater: it has no items, and its answers are a sample of raters."""
        return self.question.target == "rater"

    def clusters_of(self, answers: Answers) -> Where:
        """Return item and rater of each answer; if it is about the rater, each rater is both, or a pair of them is."""
        if not self.is_of_raters:
            return answers.where
        cluster = self.codes.raters.cluster[answers.rater]
        return {"item": cluster, "rater": cluster}

    def record(
        self,
        result: Result,
        answers: Answers,
        *,
        section: str,
        scope: Scope,
        statistic: str,
        unit: Unit,
        **detail: object,
    ) -> Estimate:
        """Return the estimate for a result; counts that the result does not state are those of the answers in scope.

        Items, raters and ratings are those in scope; units are those that the statistic was computed from.
        """
        ends = possible_range(self.question, statistic)
        result = for_new_raters(result) if self.is_of_raters else result
        result = kept_within(result, *ends) if ends else result
        found = record_of(
            self.question.key,
            result,
            answers,
            section=section,
            scope=scope,
            statistic=statistic,
            unit=unit,
            ends=ends,
            **detail,
        )
        return found if self.category is None else replace(found, category=self.category)


def possible_range(
    question: ScaledQuestion | PreferenceQuestion | OrderQuestion, statistic: str
) -> tuple[float, float] | None:
    """Return the possible range of a mean, or difference of means, of this question; None for other statistics."""
    about = declared(statistic)
    if about.kind == "share_points":
        return -1.0, 1.0
    if isinstance(question, PreferenceQuestion):
        return (-1.0, 1.0) if about.bounds.is_share_of_choices else None
    if isinstance(question, OrderQuestion):
        return None
    # the codes of a category have no range, their shares have
    is_share = about.bounds.is_share_of_codes and question.level == "nominal"
    scale = (0.0, 1.0) if is_share else question.values
    if about.bounds.is_level:
        return scale[0], scale[-1]
    reach = about.bounds.times * (scale[-1] - scale[0])
    return (-reach, reach) if reach else None


def record_of(
    question: str | None,
    result: Result,
    answers: Answers,
    *,
    section: str,
    scope: Scope,
    statistic: str,
    unit: Unit,
    ends: tuple[float, float] | None = None,
    **detail: object,
) -> Estimate:
    """Like `QuestionData.record`.

    `question` is None for estimates of the whole study; `ends` are the lowest and highest possible value, if known.
    """
    enough = with_minimum_data(result, statistic, answers.counts, scope)
    return estimate_of(
        without_uninformative_interval(enough, statistic, ends),
        section=section,
        question=question,
        scope=scope,
        statistic=statistic,
        unit=unit,
        of_answers=answers.counts,
        answers=answers.hash,
        **detail,
    )


ScaledData = QuestionData[ScaledQuestion, Answers]
ChoiceData = QuestionData[PreferenceQuestion, Choices]
AnyQuestionData = ScaledData | ChoiceData
