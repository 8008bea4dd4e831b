"""The question data of a study: rating questions, composites, forced choices, categories and rankings."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

from app.analysis.data.answers import choice_answers, scaled_answers
from app.analysis.data.covariates import Covariates, Score, covariates_of, scores_of
from app.analysis.data.earlier_words import EarlierWords, raters_before
from app.analysis.data.encoded_study import Codes, codes_of
from app.analysis.data.frames import Frames
from app.analysis.data.question_data import MAX_RATINGS, TOO_MANY, AnyQuestionData, ChoiceData, ScaledData
from app.analysis.data.series import later_runs
from app.analysis.data.splits import Split, attribute_splits, designed_splits, unsplittable
from app.analysis.sections.categories import CategoryData, category_data
from app.analysis.sections.composites import Table, composite_answers, composite_question, table_of
from app.analysis.sections.rankings import RankingData, ranking_data
from app.protocol.cells import cell_of
from app.protocol.questions.question import Target
from app.protocol.questions.registry import CodesQuestion, ScaledQuestion
from app.protocol.rater_flags import Flag
from app.protocol.study import Protocol
from app.protocol.waves import wave_of


@dataclass(frozen=True)
class StudyData:
    """All data that the sections use; `flagged` are the human raters with flags, from all answers of the study.

    `fits_ordinal`: whether sources are compared by ordinal models too. `earlier_words`: see `raters_before`.
    """

    codes: Codes
    protocol: Protocol
    full: bool
    frames: Frames
    flagged: Mapping[str, tuple[Flag, ...]] = field(default_factory=dict)
    fits_ordinal: bool = True
    earlier_words: EarlierWords = field(default_factory=dict)

    @property
    def has_repeats(self) -> bool:
        """Whether repeats are planned, or human raters have rated some."""
        return self.protocol.design.repeats is not None or self.codes.n_repeats > 0

    def raters_before(self, data: AnyQuestionData) -> set[str]:
        """The raters who read an earlier wording of the question, or of one in the composite."""
        composite = self.protocol.analysis.composites.get(data.question.key)
        return raters_before(self.earlier_words, composite.questions if composite else (data.question.key,))

    @cached_property
    def with_repeats(self) -> Self:
        """The same data with the planned repeats among the answers."""
        return replace(self, codes=codes_of(self.frames, self.protocol, with_repeats=True))

    @cached_property
    def with_showings(self) -> Self:
        """The same data with all showings of model judges, which are stored as repeats."""
        ratings = self.frames.ratings
        models = self.frames.raters.loc[self.frames.raters["kind"] == "model", "rater"]
        is_shown = (ratings["repeat"] == 0) | ratings["rater"].isin(models)
        shown = self.frames if is_shown.all() else replace(self.frames, ratings=ratings[is_shown])
        return replace(self, codes=codes_of(shown, self.protocol, with_repeats=True))

    @cached_property
    def over_time(self) -> Self | None:
        """The answers, in all showings, of the judges that were asked again on a later day; None without any."""
        later = later_runs(self.frames.raters)
        if not later:
            return None
        ratings = self.frames.ratings
        shown = replace(self.frames, ratings=ratings[ratings["rater"].isin({*later, *later.values()})])
        return replace(self, codes=codes_of(shown, self.protocol, with_repeats=True, with_later=True), frames=shown)

    def against(self, reference: str | None) -> Self:
        """The same data with another reference source."""
        analysis = self.protocol.analysis.model_copy(update={"reference": reference})
        return replace(self, protocol=self.protocol.model_copy(update={"analysis": analysis}))

    @cached_property
    def every(self) -> list[AnyQuestionData]:
        """All question data with agreement: ratings, composites, choices and codes."""
        found: list[AnyQuestionData] = [*self.numbers, *self.choices]
        for asked in self.categories:
            found += asked.by_code if asked.whole is None else [asked.whole]
        return found

    @cached_property
    def categories(self) -> list[CategoryData]:
        """Question data of each category question."""
        asked = [question for question in self.protocol.questions if isinstance(question, CodesQuestion)]
        return [category_data(self.codes, self.frames, question, full=self.full) for question in asked]

    @cached_property
    def scaled(self) -> list[ScaledData]:
        """Question data of each rating and slider question."""
        declared = self.protocol.analysis
        return [
            ScaledData(
                self.codes,
                question,
                scaled_answers(self.codes, question),
                self.protocol.reference,
                cut=declared.cut.get(question.key),
                margin=declared.margin_of(question.key),
                full=self.full,
            )
            for question in self.protocol.scaled_questions
        ]

    @cached_property
    def composites(self) -> list[tuple[ScaledData, Table]]:
        """Question data of each composite, with the table of its questions."""
        found = []
        for name, composite in self.protocol.analysis.composites.items():
            table = table_of(self.codes, [self._question(key) for key in composite.questions])
            question = composite_question(name, composite, table.questions)
            answers = composite_answers(table, composite)
            data = ScaledData(
                self.codes,
                question,
                answers,
                self.protocol.reference,
                margin=self.protocol.analysis.margin_of(name),
                full=self.full,
                is_composite=True,
            )
            found.append((data, table))
        return found

    @cached_property
    def covariates(self) -> Covariates:
        """Measures of the texts, and imported scores."""
        return covariates_of(self.frames, self.protocol, full=self.full)

    @cached_property
    def scores(self) -> list[Score]:
        """The scores used as covariates; those that a primary contrast names count as declared."""
        analysis = self.protocol.analysis
        primary = [contrast.covariate for contrast in analysis.primary if contrast.covariate]
        declared = list(dict.fromkeys([*analysis.covariates, *primary]))
        texts = self.covariates.known if set(declared) - {data.question.key for data in self.numbers} else {}
        numbers = [data for data in self.numbers if data.question.key in declared or not self._is_later(data)]
        return list(scores_of(self.codes, self.frames, numbers, declared, texts))

    def _is_later(self, data: ScaledData) -> bool:
        """Whether a question tells nothing about the raters who rated: it was asked in a later wave, or is an outcome.

        An outcome is measured again after the trials, and what raters were shown may have changed it. Groups of raters
        by it would differ in more than what they were shown (Rosenbaum 1984).
        """
        analysis = self.protocol.analysis
        after = {change.after for change in analysis.changes}
        after |= {key for name in after & analysis.composites.keys() for key in analysis.composites[name].questions}
        return data.question.key in after or wave_of(data.question.key, self.protocol.waves) > 1

    @property
    def numbers(self) -> list[ScaledData]:
        """Question data with numeric answers: ratings, then composites."""
        return [*self.scaled, *(data for data, _ in self.composites)]

    @cached_property
    def choices(self) -> list[ChoiceData]:
        """Question data of each forced choice."""
        return [
            ChoiceData(
                self.codes, question, choice_answers(self.codes, question), self.protocol.reference, full=self.full
            )
            for question in self.protocol.choice_questions
        ]

    @cached_property
    def rankings(self) -> list[RankingData]:
        """Question data of each ranking."""
        asked = self.protocol.order_questions
        return [ranking_data(self.codes, question, self.protocol.reference) for question in asked]

    @cached_property
    def designed_splits(self) -> list[Split]:
        """Splits by condition and by shown label."""
        return list(designed_splits(self.codes))

    @cached_property
    def splits(self) -> list[Split]:
        """Splits by design, and by attributes if the study is small or a full report was requested."""
        if not self._is_light:
            return self.designed_splits
        own = [data for data in self.numbers if data.question.target == "rater" and not self._is_later(data)]
        return [*self.designed_splits, *attribute_splits(self.codes, own)]

    def designed_splits_of(self, data: AnyQuestionData) -> list[Split]:
        """Splits by design of a question, without those that cannot tell anything about it."""
        return [split for split in self.designed_splits if not self._is_idle(split, data)]

    def splits_of(self, data: AnyQuestionData) -> list[Split]:
        """All splits of a question, without those that cannot tell anything about it."""
        return [split for split in self.splits if not self._is_idle(split, data)]

    def _is_idle(self, split: Split, data: AnyQuestionData) -> bool:
        """Whether a split can tell nothing about a question.

        A condition chose the source of the response, so that a comparison by it would repeat that of sources; or the
        question was answered before the first trial; or the groups of raters are those of their answers to it.
        """
        if split.of_score:
            return not self._asked_in(split.of_score).isdisjoint(self._asked_in(data.question.key))
        if split.kind == "condition" and data.question.target == "rater":
            before = {key for page in self.protocol.flow.before for key in page.questions}
            return before >= self._asked_in(data.question.key)
        if split.kind != "condition" or data.question.rated not in {"response", "turn"}:
            return False
        names = {name for level in split.levels for name, _ in cell_of(level).levels}
        factors = self.protocol.conditions
        own = [one for one in self.protocol.analysis.primary if one.question == data.question.key]
        asked = {contrast.factor for contrast in own}
        return bool(names) and all(
            name in factors and factors[name].kind == "source" and name not in asked for name in names
        )

    def _asked_in(self, key: str) -> set[str]:
        """The questions of a composite, or the question itself."""
        composite = self.protocol.analysis.composites.get(key)
        return {*composite.questions} if composite else {key}

    @cached_property
    def splits_left_out(self) -> dict[str, str]:
        """The attributes that the report is not split by, with the reason: too many values or too many ratings."""
        many = unsplittable(self.codes)
        if self._is_light:
            return many
        return {**{split.name: TOO_MANY for split in attribute_splits(self.codes, [])}, **many}

    @property
    def _is_light(self) -> bool:
        return self.full or len(self.codes.rows.question) <= MAX_RATINGS

    def by_target(self) -> list[list[ScaledData]]:
        """Return the rating questions with the same target, for targets with two or more."""
        targets: dict[Target, list[ScaledData]] = {}
        for data in self.scaled:
            targets.setdefault(data.question.target, []).append(data)
        return [study for study in targets.values() if len(study) > 1]

    def _question(self, key: str) -> ScaledQuestion:
        return next(question for question in self.protocol.scaled_questions if question.key == key)
