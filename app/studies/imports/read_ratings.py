"""Read a spreadsheet of ratings collected elsewhere: its raters and answers, checked against the study."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from app.analysis.data.study_folder import StudyFolder
from app.base.files.cells import Mask, faulty, ids, one_of
from app.base.files.spreadsheet import table_of
from app.base.files.table import Column, Table, places
from app.base.limits import Limits
from app.base.problem import InvalidInputError, Problem
from app.base.problems import Problems
from app.base.words import or_list
from app.studies.folder.raters import KINDS, raters_frame
from app.studies.folder.ratings.ratings import check_ratings
from app.studies.folder.ratings.targets import AMBIGUOUS, UNKNOWN, Replies, Study
from app.studies.imports.answer_table import answer_table
from app.studies.imports.column_meanings import Columns, NewRaters, RatingLayout, columns_of
from app.studies.imports.column_roles import without_second_header
from app.studies.imports.grouped_problems import grouped
from app.studies.imports.name_matching import source_names
from app.studies.imports.patterns import check_one_encoding
from app.studies.imports.text_lookup import with_ids


@dataclass(frozen=True, slots=True)
class ReadRatings:
    """The content of a spreadsheet.

    `raters` are new; `marked` are raters of the study whose first ratings these are.
    """

    columns: Columns
    raters: pd.DataFrame
    marked: tuple[str, ...]
    ratings: pd.DataFrame
    notes: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Ratings:
    """A spreadsheet of ratings with all that is needed to read it, in this process or in another one.

    Attributes:
        file: the spreadsheet, or the name under which `content` was uploaded.
        layout: the columns by their meaning; what it leaves open is guessed.
        new_raters: who gave the ratings.
        study: the study with its answers; set by the import.
        rated_here: raters who rated in Attune; set by the import.
        sheet: the place of the sheet in an Excel file.
    """

    file: Path
    layout: RatingLayout
    new_raters: NewRaters
    content: bytes | None = None
    study: StudyFolder | None = None
    rated_here: Collection[str] = ()
    sheet: int = 0

    def read(self, limits: Limits) -> ReadRatings:
        """Every answer of the spreadsheet.

        Raises:
            InvalidInputError: every problem of the spreadsheet.
        """
        if self.study is None:
            raise AssertionError("ratings are read for a study")
        problems = Problems(limits)
        sheet = without_second_header(table_of(self.file, problems, self.content, self.sheet), problems)
        return read_ratings(sheet, self.layout, self.new_raters, self.study, problems, rated_here=self.rated_here)


def read_ratings(
    sheet: Table,
    layout: RatingLayout,
    new_raters: NewRaters,
    study: StudyFolder,
    problems: Problems,
    *,
    rated_here: Collection[str] = (),
) -> ReadRatings:
    """Read every answer of the spreadsheet.

    Args:
        sheet: the table of the spreadsheet.
        layout: the meaning of its columns.
        new_raters: the raters of the imported ratings.
        study: the study that the answers refer to, with its existing answers.
        problems: collects the problems.
        rated_here: raters who rated in Attune; imported ratings cannot belong to them.

    Raises:
        InvalidInputError: with every problem of the spreadsheet.
    """
    known = Study(study.protocol, study.items, study.responses, study.raters)
    columns, table = _answers(sheet, layout, new_raters, known, problems)
    raters = _new_raters(table, known, new_raters, rated_here, problems)
    known.raters = pd.concat([study.raters, raters], ignore_index=True)
    is_good = _fill_responses(table, known, problems)
    ratings = check_ratings(_only(table, is_good), known, problems, study.ratings)
    if problems.errors:
        raise InvalidInputError([*grouped(problems, columns, table), *problems.notes])
    if ratings is None:
        raise AssertionError("the table has every column")
    marked = set(ratings["rater"]) & set(study.raters["rater"]) - set(study.ratings["rater"])
    return ReadRatings(columns, raters, tuple(sorted(marked)), ratings, tuple(problems.notes))


def _answers(
    sheet: Table, layout: RatingLayout, new_raters: NewRaters, known: Study, problems: Problems
) -> tuple[Columns, Table]:
    """Return the columns of the spreadsheet by meaning, and its cells as one row per answer."""
    if not len(sheet) and not problems.errors:
        problems.add(sheet.file, None, None, "no rows below the column names", "at least one row with answers")
        problems.raise_if_any()
    columns = columns_of(sheet, layout, new_raters, known, problems)
    if columns is None:
        problems.raise_if_any()
        raise AssertionError("a column that is missing is a problem")
    check_one_encoding(sheet, columns.used, problems)
    table = answer_table(sheet, columns, layout, new_raters, known, problems)
    if not len(table) and not problems.errors:
        problems.add(sheet.file, None, None, "no answers", "at least one answer")
    return columns, with_ids(table, known, problems)


def _new_raters(
    table: Table, study: Study, new: NewRaters, rated_here: Collection[str], problems: Problems
) -> pd.DataFrame:
    """Return the raters that are not in the study; add a problem for each if new ones are not allowed."""
    named = ids(table, "rater", problems)
    known = study.raters["rater"].to_numpy(dtype=object)
    is_new = (places(known, named) < 0) & (named != "")
    if len(known) and not new.are_welcome:
        allowed = f"{one_of(known, 'the study', 'a rater')}; to add new raters, use --new-raters"
        faulty(table, is_new, "rater", named, allowed, problems)
    here = np.isin(named, list(rated_here))
    faulty(table, here, "rater", named, "the ID of another rater; this rater has rated in Attune", problems)
    _check_kind(table, study, named, new, problems)
    keys = pd.unique(named[is_new])
    kinds = np.full(len(keys), new.kind or KINDS[0], dtype=object)
    pools = np.full(len(keys), new.pool or "", dtype=object)
    return raters_frame(keys, kinds, pools, {"is_imported": np.ones(len(keys), dtype=bool)}, {})


def _check_kind(table: Table, study: Study, named: Column, new: NewRaters, problems: Problems) -> None:
    """Check that the kind and pool of known raters stay as they are in the study."""
    for name, wanted in (("kind", new.kind), ("pool", new.pool)):
        if wanted is not None:
            others = study.raters.loc[study.raters[name] != wanted, "rater"].to_numpy(dtype=object)
            allowed = f"a rater with the {name} {wanted}; in this study the rater has another {name}"
            faulty(table, places(others, named) >= 0, "rater", named, allowed, problems)


def _fill_responses(table: Table, study: Study, problems: Problems) -> Mask:
    """Fill in responses from their sources and items from their responses; return a mask of rows without problems."""
    replies = Replies(study.items, study.responses, list(study.protocol.sources))
    response, item = table.places("response", replies.index), table.stripped("item")
    if (item == "").all() and (table.stripped("response") != "").any():
        keys = study.items["item"].to_numpy(dtype=object)
        table.columns["item"] = np.where(response >= 0, keys[replies.item[response]], "") if len(keys) else item
    source = table.stripped("source")
    names = source_names(study.protocol)
    keys_of = table.mapped("source", lambda text: names.key(text) or "")
    asks = (source != "") & (table.stripped("response") == "")
    unknown = asks & (keys_of == "")
    faulty(table, unknown, "source", source, f"a source in study.yaml: {or_list(names.keys)}", problems)
    items = places(study.items["item"].to_numpy(dtype=object), _stripped(table.columns["item"]))
    found = replies.by_source(items, places(list(names.keys), keys_of))
    several, none = (asks & ~unknown & (items >= 0) & (found == which) for which in (AMBIGUOUS, UNKNOWN))
    faulty(
        table,
        several,
        "source",
        source,
        "the ID or the text of a response (--response), because this source has several responses to the item",
        problems,
    )
    faulty(table, none, "source", source, "a source that has a response to the item in this row", problems)
    table.columns["response"] = np.where(asks & (found >= 0), replies.at(found), table.column("response"))
    is_good: Mask = ~(unknown | several | none)
    return is_good


def _stripped(column: Column) -> Column:
    return np.array([str(cell).strip() for cell in column], dtype=object)


def _only(table: Table, keep: Mask) -> Table:
    """Return the selected rows in the columns of ratings.csv."""
    rows = table.only(keep)
    del rows.columns["source"]
    return rows
