"""raters.csv: the raters; if the file is missing, the raters that appear in ratings.csv."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from app.analysis.data.frames import ARRIVAL_COLUMNS, CHECK_COLUMNS
from app.analysis.data.study_folder import RATER_COLUMNS, RATER_MARKS, StudyFolder
from app.base.files.cells import A_TIME, Mask, attributes, faulty, has_columns, ids, text_or_none, times_of, unique_ids
from app.base.files.table import Column, Table, places
from app.base.problems import Problems
from app.base.words import counted, or_list
from app.protocol.composite import Composite, composite_score
from app.protocol.questions.registry import ScaledQuestion
from app.protocol.study import Protocol
from app.studies.folder.written_tables import Columns

KINDS = ("person", "model")
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0", "")


def check_raters(table: Table, problems: Problems) -> pd.DataFrame | None:
    """Return the raters in the columns of `study_folder`; None if a required column is missing."""
    if not has_columns(table, ["rater", "kind"], problems):
        return None
    keys, kinds, pools = (ids(table, name, problems) for name in ("rater", "kind", "pool"))
    unique_ids(table, "rater", keys, problems)
    faulty(table, ~np.isin(kinds, KINDS), "kind", kinds, "person or model", problems)
    marks = {name: _marked(table, name, problems) for name in RATER_MARKS}
    return raters_frame(keys, kinds, pools, marks, attributes(table, RATER_COLUMNS))


def _marked(table: Table, name: str, problems: Problems) -> Mask:
    cells = np.array([text.strip().lower() for text in table.column(name)], dtype=object)
    faulty(table, ~np.isin(cells, _TRUE + _FALSE), name, cells, "true or false", problems)
    return np.isin(cells, _TRUE)


def named_in(ratings: Table | None, problems: Problems) -> pd.DataFrame:
    """Return the raters that appear in the ratings, each with the kind "person"."""
    named = ids(ratings, "rater", problems) if ratings is not None else np.array([], dtype=object)
    keys = np.array([key for key in pd.unique(named) if key], dtype=object)
    if len(keys):
        there = f"every rater in ratings.csv is treated as a person: {counted(len(keys), 'rater')}"
        allowed = f"a file with rater, kind and pool; {there}"
        problems.note("raters.csv", None, None, "no such file", allowed)
    empty = np.full(len(keys), "", dtype=object)
    return raters_frame(keys, np.full(len(keys), "person", dtype=object), empty, {}, {})


def raters_frame(
    keys: Column, kinds: Column, pools: Column, marks: Mapping[str, Mask], more: Mapping[str, Column]
) -> pd.DataFrame:
    """Build the raters frame of `study_folder`; marks that are not given are False."""
    frame = pd.DataFrame({"rater": keys, "kind": kinds, "pool": text_or_none(pools)}, dtype=object)
    for name in RATER_MARKS:
        frame[name] = marks.get(name, np.zeros(len(keys), dtype=bool)).astype(bool)
    return frame.assign(**{name: pd.Series(cells, dtype=object) for name, cells in more.items()})


# scores.csv: each rater's questionnaire scores, with reversed questions recoded. Written by exports only.

SCORE_COLUMNS = ("rater", "score", "value", "n_answers")


def rater_composites(protocol: Protocol) -> dict[str, Composite]:
    """Return the composites that consist of questions about the rater."""
    targets = {question.key: question.target for question in protocol.scaled_questions}
    composites = protocol.analysis.composites.items()
    return {name: made for name, made in composites if targets[made.questions[0]] == "rater"}


def scores_of(study: StudyFolder) -> Columns:
    """Return one row per rater and score that has enough answers; no rows if the protocol has no such scores."""
    questions = {question.key: question for question in study.protocol.scaled_questions}
    rows = [
        (rater, name, composite_score(composite, questions, values), sum(key in values for key in composite.questions))
        for rater, values in _answers(study)
        for name, composite in rater_composites(study.protocol).items()
    ]
    scores = pd.DataFrame([row for row in rows if row[2] is not None], columns=[*SCORE_COLUMNS], dtype=object)
    return {name: scores[name] for name in SCORE_COLUMNS}


def _answers(study: StudyFolder) -> Iterator[tuple[str, Mapping[str, float]]]:
    rows = study.ratings
    asked = {key for composite in rater_composites(study.protocol).values() for key in composite.questions}
    given = rows[rows["question"].isin(asked) & rows["exclude"].isna() & rows["number"].notna() & rows["item"].isna()]
    for rater, own in given.groupby("rater", sort=True):
        yield str(rater), dict(zip(own["question"], own["number"], strict=True))


def score_meanings(protocol: Protocol) -> Iterator[tuple[str, str]]:
    """Yield the name of each score and how it is calculated, for the codebook."""
    questions: Mapping[str, ScaledQuestion] = {question.key: question for question in protocol.scaled_questions}
    for name, made in rater_composites(protocol).items():
        parts = ", ".join(f"{key} (reversed)" if questions[key].reversed else key for key in made.questions)
        least = f"; needs at least {counted(made.n_needed, 'answer')}" if made.at_least else ""
        yield name, f"{made.text + ': ' if made.text else ''}{made.score} of {parts}{least}"


# checks.csv: the checks that raters passed or failed, exported so that estimates can leave out flagged raters.

_PASSED, _FAILED = ("true", "1"), ("false", "0")


def check_checks(table: Table, raters: pd.DataFrame, problems: Problems) -> pd.DataFrame | None:
    """Return the checks as a frame with CHECK_COLUMNS; None, with a note, if it is not an exported file."""
    if not _is_exported(table, CHECK_COLUMNS, problems):
        return None
    names, passed = table.stripped("rater"), table.mapped("is_passed", lambda text: text.strip().lower())
    _of_raters(table, names, raters, problems)
    faulty(table, ~np.isin(passed, _PASSED + _FAILED), "is_passed", passed, "true or false", problems)
    times = times_of(table.stripped("happened_at"))
    faulty(table, times.isna().to_numpy(), "happened_at", table.column("happened_at"), A_TIME, problems)
    return pd.DataFrame(
        {
            "rater": pd.Series(names, dtype=object),
            "check": pd.Series(table.stripped("check"), dtype=object),
            "is_passed": np.isin(passed, _PASSED),
            "happened_at": times,
        }
    )


def _is_exported(table: Table, columns: Sequence[str], problems: Problems) -> bool:
    """Whether a file has rows, and the columns that an export writes; a note says if it has not."""
    missing = [name for name in columns if name not in table.columns]
    if missing:
        allowed = f"the columns of an exported {table.file}; the file was ignored"
        problems.note(table.file, 1, missing[0], "no such column", allowed)
    return not missing and len(table) > 0


def _of_raters(table: Table, names: Column, raters: pd.DataFrame, problems: Problems) -> None:
    faulty(table, places(raters["rater"].to_numpy(), names) < 0, "rater", names, "a rater of raters.csv", problems)


# rating_sessions.csv: how far raters got, exported so that the report of a folder can say who left.

STATES = ("arrived", "active", "finished", "expired", "full", "screened_out", "failed_checks", "withdrawn")
# People without a rater: they did not agree to take part, or had their answers deleted.
WITHOUT_RATER = ("refused", "deleted")
# Without these columns a file is ignored; the others may be missing.
OF_ARRIVALS = ("rater", "state", "condition")


def check_arrivals(table: Table, raters: pd.DataFrame, problems: Problems) -> pd.DataFrame | None:
    """Return who arrived and how far they got, with ARRIVAL_COLUMNS; None, with a note, if it is no exported file."""
    if not _is_exported(table, OF_ARRIVALS, problems):
        return None
    names, states = table.stripped("rater"), table.stripped("state")
    is_gone = np.isin(states, WITHOUT_RATER)
    is_unknown = places(raters["rater"].to_numpy(), names) < 0
    faulty(table, ~is_gone & is_unknown, "rater", names, "a rater of raters.csv", problems)
    named = f"no rater where the state is {or_list(WITHOUT_RATER)}"
    faulty(table, is_gone & (names != ""), "rater", names, named, problems)
    faulty(table, ~np.isin(states, (*STATES, *WITHOUT_RATER)), "state", states, or_list(STATES), problems)
    cells = {"rater": text_or_none(names), "state": states}
    cells |= {name: text_or_none(table.stripped(name)) for name in ("condition", "version", "reworded")}
    found = pd.DataFrame(cells, dtype=object)
    return found.sort_values([*ARRIVAL_COLUMNS], na_position="last", ignore_index=True)
