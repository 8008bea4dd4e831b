"""The downloads as the page lists them: name, address, what is in the file, and how to read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.analysis.data.rating_columns import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.design.protocol.study import Protocol

DownloadName = Literal["wide.csv", "study.xlsx", "ratings.parquet", "psych-ds.zip", "read.R", "read.sps"]


@dataclass(frozen=True, slots=True)
class Download:
    """One file; `code` are lines that read it, each with its language."""

    name: str
    address: str
    words: str
    code: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Files:
    """Lists the files of one study."""

    slug: str
    url_for: Callable[..., object]

    def at(self, handler: str, query: str = "", **path: str) -> str:
        return f"{self.url_for(handler, slug=self.slug, **path)}{query}"

    def made(self, name: DownloadName, words: str, *code: tuple[str, str]) -> Download:
        return Download(f"{self.slug}-{name}", self.at("export_download", file=name), words, code)


def downloads_of(slug: str, url_for: Callable[..., object]) -> list[tuple[str, list[Download]]]:
    """The files in groups, each group with its heading."""
    files = _Files(slug, url_for)
    return [
        ("Answers", [*_csv_files(files), *_other_tables(files)]),
        ("Scripts", _scripts(files)),
        ("Whole study", _whole_study(files)),
        ("Estimates", _estimates(files)),
    ]


def _csv_files(files: _Files) -> list[Download]:
    name = f"{files.slug}-ratings.csv"
    return [
        Download(
            name,
            files.at("export_ratings"),
            "One row per answer, with its source, its number and its words. Times are UTC; missing cells are empty.",
            (
                ("R", f'ratings <- read.csv("{name}", na.strings = "")'),
                ("pandas", f'ratings = pandas.read_csv("{name}")'),
            ),
        ),
        Download(
            f"{files.slug}-ratings-spreadsheet.csv",
            files.at("export_ratings", "?spreadsheet=1"),
            "The same rows, safe to open in Excel: an apostrophe stands before text that Excel would run as a formula.",
        ),
        files.made("wide.csv", "One row per rater and response, pair, turn or item, and one column per question."),
    ]


def _other_tables(files: _Files) -> list[Download]:
    name = f"{files.slug}-ratings.parquet"
    return [
        files.made(
            "ratings.parquet",
            "The same rows as ratings.csv, smaller and with types: for large studies.",
            ("R", f'ratings <- arrow::read_parquet("{name}")'),
            ("pandas", f'ratings = pandas.read_parquet("{name}")'),
        ),
        files.made("study.xlsx", "A workbook with a sheet for items, responses, raters, answers and the codebook."),
    ]


def _scripts(files: _Files) -> list[Download]:
    return [
        files.made("read.R", "An R script that reads ratings.csv and gives each question the words of its scale."),
        files.made("read.sps", "SPSS syntax that reads ratings.csv and labels columns and scale points."),
    ]


def _whole_study(files: _Files) -> list[Download]:
    return [
        Download(
            f"{files.slug}.zip",
            files.at("export_study"),
            "The whole study: protocol, texts, raters, answers, checks, events, assignments, estimates, a codebook and "
            "the registered plan. Loading it again gives the same estimates.",
        ),
        files.made("psych-ds.zip", "The tables as a Psych-DS dataset, to share on OSF or elsewhere."),
    ]


def _estimates(files: _Files) -> list[Download]:
    name = f"{files.slug}-results.csv"
    return [
        Download(
            name,
            files.at("export_report_csv"),
            "Every estimate with interval, counts, method and recipe, one row per estimate.",
            (("R", f'estimates <- read.csv("{name}", na.strings = "")'),),
        ),
        Download(f"{files.slug}-results.json", files.at("export_report_json"), "The same estimates as JSON."),
    ]


def explained_columns(protocol: Protocol) -> list[tuple[str, str, str]]:
    """The columns of ratings.csv: name, label and meaning. Columns that no answer fills are left out of the file."""
    absent: tuple[str, ...] = () if protocol.conditions else ("condition",)
    absent += () if protocol.choice_questions else ("left_response", "right_response", "side", "strength")
    shown = (column for column in COLUMNS if column.in_file and column.name not in absent)
    return [(column.name, column.label, column.meaning) for column in shown]
