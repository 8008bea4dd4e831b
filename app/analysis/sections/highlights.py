"""Highlights: whether raters mark the same characters, and whether these match the key."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers, answers_at
from app.analysis.data.encoded_study import Codes
from app.analysis.data.frames import Frames
from app.analysis.data.question_data import record_of
from app.analysis.data.scopes import distinct_groups, with_answers
from app.analysis.estimate import Estimate, Scope
from app.analysis.minimum_data import SHARE_OF_PAIRS
from app.analysis.sections.pools import pairs_of_groups
from app.analysis.sections.study_data import StudyData
from app.analysis.statistic import Recorded, Statistic, declare
from app.base.words import counted
from app.protocol.questions.registry import PassagesQuestion
from app.protocol.questions.spans import read_spans
from app.stats.clusters import METHOD
from app.stats.comparison.pools import score_difference
from app.stats.result import Result, undefined
from app.stats.spans import Marked, f1_pseudo_values, span_alpha, span_scores, span_sums

SECTION = "contrast"
BEYOND = "Left out because marks reach beyond the text: {}."
BAD_KEY = "Left out because the key marks characters beyond the text: {}."
NO_KEY = "No text has a valid key."

declare(
    Statistic(
        "span_alpha",
        "Krippendorff's alpha of marked characters",
        "coefficient",
        docs="contrasts",
        cites=("krippendorff2011",),
        minimum=SHARE_OF_PAIRS,
        tests={"span_alpha": Recorded(unit="response", keys=())},
    ),
    Statistic(
        "span_f1",
        "F1 of marked characters against the key",
        "share",
        docs="contrasts",
        tests={"span_f1": Recorded(unit="response", keys=())},
    ),
    Statistic("span_precision", "Precision of marked characters", "share", docs="contrasts"),
    Statistic("span_recall", "Recall of marked characters", "share", docs="contrasts"),
)


@dataclass(frozen=True, eq=False)
class Passages:
    """The texts that raters mark: the lengths of the passages of each, and whether the passages are turns.

    The key of a text contains its codes: an item, a response, or a turn of either. Character positions count through
    the passages of a text as if they were concatenated.
    """

    lengths: dict[tuple[int, ...], tuple[int, ...]]
    in_turns: frozenset[tuple[int, ...]]

    def read(self, text: tuple[int, ...], marked: str) -> tuple[tuple[int, int], ...] | None:
        """Return start and end (exclusive) of each mark; None if a mark extends beyond the text."""
        if text not in self.lengths:
            return None
        blank = [" " * length for length in self.lengths[text]]
        spans = read_spans(marked, blank, in_turns=text in self.in_turns)
        if spans is None:
            return None
        starts = np.concatenate([[0], np.cumsum(self.lengths[text])]).tolist()
        return tuple(
            (starts[(span.turn or 1) - 1] + span.start, starts[(span.turn or 1) - 1] + span.end) for span in spans
        )

    @property
    def whole(self) -> dict[object, int]:
        """The number of characters of each text."""
        return {text: sum(lengths) for text, lengths in self.lengths.items()}


def highlights(study: StudyData) -> Iterator[Estimate]:
    """Yield for each highlight question alpha by source and overall, and F1 against the key, also between groups."""
    for question in study.protocol.questions:
        if isinstance(question, PassagesQuestion):
            yield from _of_question(study, question)


def _of_question(study: StudyData, question: PassagesQuestion) -> Iterator[Estimate]:
    codes = study.codes
    at = codes.rows_of(question.key)
    at = at[codes.kept["text"].notna().to_numpy()[at]]
    answers = answers_at(codes, question.target, at, np.zeros(len(at)))
    passages = passages_of(study.frames, codes, question)
    marks, n_beyond = _marks(codes, answers, question, passages)
    key, n_bad = _key(study.frames, question, passages)
    note = BEYOND.format(counted(n_beyond, "answer")) if n_beyond else ""
    for group, whole in with_answers(distinct_groups(codes), answers):
        for source in (None, *_sources(codes, answers)):
            part = whole if source is None else whole.of_source(codes.sources.index(source))
            scope: Scope = group.scope if source is None else {**group.scope, "source": source}
            mine = [marks[row] for row in part.row.tolist() if row in marks]
            found = {"span_alpha": span_alpha(mine, passages.whole)}
            if question.correct_column is not None:
                found |= _scored(mine, key, passages)
            for statistic, result in found.items():
                more = BAD_KEY.format(counted(n_bad, "text")) if n_bad and statistic != "span_alpha" else ""
                yield _record(question, result, part, scope, statistic, f"{note} {more}".strip())
    if key:
        is_known = [row in marks and marks[row].text in key for row in answers.row.tolist()]
        known = answers.select(np.array(is_known, dtype=bool))
        mine = [marks[row] for row in known.row.tolist()]
        sums = span_sums(mine, key, passages.whole)
        for pair in pairs_of_groups(codes, question.key, study.protocol):
            part, first, runs = pair.shared(replace(known, value=np.arange(len(sums), dtype=np.float64)))
            if len(first):
                own = sums[part.value.astype(np.int64)]
                difference = score_difference(own, f1_pseudo_values, first, unit=part.unit, **part.where)
                yield _record(question, difference.noted(runs), part, pair.scope, "pool_span_f1_difference", note)


def _sources(codes: Codes, answers: Answers) -> list[str]:
    found = np.unique(answers.source[answers.source >= 0]).tolist()
    return [codes.sources[code] for code in found] if len(found) > 1 else []


def _scored(
    marks: Sequence[Marked], key: dict[tuple[int, ...], tuple[tuple[int, int], ...]], passages: Passages
) -> dict[str, Result]:
    if not key:
        nothing = undefined("no_pairable_units", NO_KEY, method=METHOD)
        return dict.fromkeys(("span_f1", "span_precision", "span_recall"), nothing)
    scores = span_scores(marks, key, passages.whole)
    return {"span_f1": scores.f1, "span_precision": scores.precision, "span_recall": scores.recall}


def _record(
    question: PassagesQuestion, result: Result, part: Answers, scope: Scope, statistic: str, note: str
) -> Estimate:
    noted = replace(result, note=f"{note} {result.note}".strip())
    return record_of(question.key, noted, part, section=SECTION, scope=scope, statistic=statistic, unit="response")


def passages_of(frames: Frames, codes: Codes, question: PassagesQuestion) -> Passages:
    """Return the texts of a question, with their lengths."""
    table = frames.passages
    if table is None:
        return Passages({}, frozenset())
    item = pd.Index(codes.items["item"]).get_indexer(pd.Index(table["item"]))
    response = pd.Index(frames.responses["response"]).get_indexer(pd.Index(table["response"].fillna("")))
    turn = table["turn"].fillna(0).astype(int).to_numpy()
    by_text: dict[tuple[int, ...], list[int]] = {}
    in_turns = set()
    for one, other, number, length in zip(
        item.tolist(), response.tolist(), turn.tolist(), table["length"], strict=True
    ):
        text = (one, other, number) if question.target == "turn" else (one, other)
        by_text.setdefault(text, []).append(int(length))
        if number and question.target != "turn":
            in_turns.add(text)
    return Passages({text: tuple(lengths) for text, lengths in by_text.items()}, frozenset(in_turns))


def _texts(codes: Codes, answers: Answers, question: PassagesQuestion) -> list[tuple[int, ...]]:
    """Return the text that each answer marks."""
    response = codes.rows.response[answers.row]
    if question.target == "item":
        response = np.full(len(response), -1)
    if question.target != "turn":
        return list(zip(answers.item.tolist(), response.tolist(), strict=True))
    turn = np.nan_to_num(codes.rows.turn[answers.row]).astype(int)
    return list(zip(answers.item.tolist(), response.tolist(), turn.tolist(), strict=True))


def _marks(
    codes: Codes, answers: Answers, question: PassagesQuestion, passages: Passages
) -> tuple[dict[int, Marked], int]:
    """Return the marks of each answer, by its row, and the number of answers with marks beyond the text."""
    found, n_beyond = {}, 0
    written = codes.kept["text"].to_numpy(dtype=object)[answers.row]
    texts = _texts(codes, answers, question)
    rows = zip(answers.row.tolist(), texts, answers.item.tolist(), answers.rater.tolist(), written, strict=True)
    for row, text, item, rater, marked in rows:
        spans = passages.read(text, str(marked))
        if spans is None:
            n_beyond += 1
        else:
            found[row] = Marked(text, item, rater, spans)
    return found, n_beyond


def _key(
    frames: Frames, question: PassagesQuestion, passages: Passages
) -> tuple[dict[tuple[int, ...], tuple[tuple[int, int], ...]], int]:
    """Return the correct marks of each text that has a key, and the number of keys that do not fit their text."""
    column, found, n_bad = question.correct_column, {}, 0
    for text in passages.lengths:
        table, code = (frames.responses, text[1]) if text[1] >= 0 else (frames.items, text[0])
        cell = table[column].iloc[code] if column in table else None
        if cell is None or pd.isna(cell):
            continue
        spans = passages.read(text, _of_turn(str(cell), text[2]) if question.target == "turn" else str(cell))
        if spans is None:
            n_bad += 1
        else:
            found[text] = spans
    return found, n_bad


def _of_turn(cell: str, turn: int) -> str:
    """Return the marks of a dialogue's key in one turn, without the number of the turn.

    >>> _of_turn("1:0-4|2:3-9", 2), _of_turn("1:0-4", 2)
    ('3-9', '')
    """
    parts = (part.strip().partition(":") for part in cell.split("|"))
    return "|".join(place for number, _, place in parts if number == str(turn))
