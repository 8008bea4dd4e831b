"""Downloads of a study: the page that explains each file, and the files."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.analysis.model_code.scripts import SCRIPT_WORDS
from app.base.numbers import NumberStyle
from app.base.rendering.pages import page
from app.protocol.rating_columns import COLUMNS
from app.protocol.study import Protocol
from app.results.blinding import readable
from app.results.downloads.download_names import DownloadName
from app.results.making.making import Wanted
from app.results.making.page import made_file, sent_once
from app.results.pages.report_query import OwnReportQuery
from app.studies.own_study import OwnExport, OwnForLong
from app.studies.studies import StudyRow

# The downloads as the page lists them: name, address, what is in the file, and how to read it.


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


def downloads_of(slug: str, url_for: Callable[..., object], *, has_models: bool) -> list[tuple[str, list[Download]]]:
    """The files in groups, each group with its heading. `has_models`: whether models were asked about the study."""
    files = _Files(slug, url_for)
    return [
        ("Answers", [*_csv_files(files), *_other_tables(files)]),
        ("Scripts", _scripts(files)),
        ("Whole study", [*_whole_study(files), *(_requests(files) if has_models else ())]),
        ("Estimates", _estimates(files)),
        ("For an ethics board (IRB)", _ethics(files)),
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
        *(
            Download(
                f"{files.slug}-{name}",
                files.at("export_model_code", script=name),
                f"The models of the primary contrasts for {words}. It reads ratings.csv.",
            )
            for name, words in SCRIPT_WORDS.items()
        ),
    ]


def _whole_study(files: _Files) -> list[Download]:
    return [
        Download(
            f"{files.slug}.zip",
            files.at("export_study"),
            "The whole study: protocol, texts, raters, answers, checks, events, assignments, estimates, a codebook and "
            "the registered plan. Analyzing it gives the same estimates; a server that loads it does not know who left "
            "before the end.",
        ),
        files.made(
            "psych-ds.zip",
            "The tables as a Psych-DS dataset and an RO-Crate, to share on OSF, Zenodo or elsewhere.",
        ),
        files.made(
            "hugging-face.zip",
            "The tables as a data set for Hugging Face, with a card. Unzip it first.",
            ("Python", f'ratings = datasets.load_dataset("{files.slug}", split="train")'),
        ),
        files.made(
            "label-studio.zip",
            "The responses as tasks for Label Studio, with the questions about responses; without who wrote them.",
        ),
    ]


def _requests(files: _Files) -> list[Download]:
    name = f"{files.slug}-requests.jsonl"
    return [
        files.made(
            "requests.jsonl",
            "Every request to a language model, one per line: prompt, answer, thoughts, outcome, tokens and cost.",
            ("R", f'requests <- jsonlite::stream_in(file("{name}"))'),
            ("pandas", f'requests = pandas.read_json("{name}", lines=True)'),
        )
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


def _ethics(files: _Files) -> list[Download]:
    return [
        Download(
            f"{files.slug}-ethics.docx",
            files.at("export_ethics", file_format="docx"),
            "Purposes, procedure, risks, data, recipients, retention and rights, written from the design. Complete "
            "what is in brackets.",
        ),
        Download(
            f"{files.slug}-ethics.zip",
            files.at("export_ethics", file_format="zip"),
            "The same document as Word, PDF, HTML, Markdown and LaTeX.",
        ),
    ]


def explained_columns(protocol: Protocol) -> list[tuple[str, str, str]]:
    """The columns of ratings.csv: name, label and meaning. Columns that no answer fills are left out of the file."""
    absent: tuple[str, ...] = () if protocol.conditions else ("condition",)
    absent += () if protocol.choice_questions else ("left_response", "right_response", "side", "strength")
    shown = (column for column in COLUMNS if column.in_file and column.name not in absent)
    return [(column.name, column.label, column.meaning) for column in shown]


router = APIRouter()
DocumentFormat = Literal["html", "pdf", "docx", "zip"]


@router.get("/studies/{slug}/downloads")
def show_downloads(request: Request, own: OwnForLong) -> Response:
    """The page: what is in each file, how to read it, and what the columns of the answers mean."""
    from app.llm.runs.requests_file import has_runs
    from app.studies.protocols import get_protocol

    with request.app.state.begin() as db:
        protocol = get_protocol(db, own.study.id, own.study.protocol_version)
        has_models = has_runs(db, own.study.id)
    context: dict[str, Any] = {
        "groups": downloads_of(own.study.slug, request.app.url_path_for, has_models=has_models),
        "columns": explained_columns(protocol),
        "answers": [
            (protocol.labels.question(question.key), question, [one for one in question.meanings() if one[0]])
            for question in protocol.questions
        ],
    }
    return page(request, "results/downloads/downloads.html", lead=own.lead, study=own.study, **context)


@router.get("/studies/{slug}/downloads/{file}")
def export_download(request: Request, own: OwnExport, file: DownloadName) -> Response:
    return study_file(request, own.study, "download", file, file=file)


@router.get("/studies/{slug}/ratings.csv")
def export_ratings(request: Request, own: OwnExport, *, spreadsheet: bool = False) -> Response:
    from app.results.downloads.ratings_export import ratings_file

    if spreadsheet:
        return study_file(request, own.study, "spreadsheet", "ratings-spreadsheet.csv")
    return sent_once(ratings_file(request.app.state.begin_reading, own.study), f"{own.study.slug}-ratings.csv")


@router.get("/studies/{slug}/export.zip")
def export_study(request: Request, own: OwnExport) -> Response:
    return archive(request, own.study)


@router.get("/studies/{slug}/report.{file_format}")
def export_report(
    request: Request, own: OwnExport, asked: OwnReportQuery, file_format: DocumentFormat, numbers: NumberStyle = "plain"
) -> Response:
    """The report for a paper: one file, or all formats in an archive."""
    from app.results.documents.report_download import wanted_report

    opened = asked.opened(request, own) if asked.snapshot else None
    made = opened.made if opened else asked.whole_report(request, own)
    version = opened.row.protocol_version if opened else own.study.protocol_version
    name = f"{own.study.slug}-report{'-filtered' if made.filters else ''}.{file_format}"
    wanted = wanted_report(
        made, version, file_format, name, numbers=numbers, n_deleted=None if opened else made.n_deleted
    )
    return made_file(request, own.study, wanted)


@router.get("/studies/{slug}/ethics.{file_format}")
def export_ethics(request: Request, own: OwnExport, file_format: DocumentFormat) -> Response:
    """The document for an ethics board: one file, or all formats in an archive. It holds no answers."""
    part = f"ethics.{file_format}"
    given = {"ending": file_format, "backup_days": request.app.state.backup_days}
    return made_file(request, own.study, Wanted("ethics", part, given, f"{own.study.slug}-{part}"))


def archive(request: Request, study: StudyRow) -> Response:
    """The whole study in a zip file."""
    return study_file(request, study, "archive", "study.zip", name=f"{study.slug}.zip")


def study_file(request: Request, study: StudyRow, maker: str, part: str, *, name: str = "", **given: str) -> Response:
    """One of the files of *Downloads* that jobs make.

    Raises:
        BlindedError: the answers are hidden until the study closes.
    """
    readable(request.app.state.begin_reading, study)
    return made_file(request, study, Wanted(maker, part, given, name or f"{study.slug}-{part}"))
