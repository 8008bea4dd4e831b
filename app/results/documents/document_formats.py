"""The formats of documents, and what one is asked for with; nothing heavy, because the web process imports it."""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from app.analysis.document.report_context import ReportContext
from app.analysis.report.report import Report
from app.base.numbers import NumberStyle
from app.protocol.study import Protocol

Format = Literal["html", "pdf", "docx", "md", "tex"]
FORMATS: tuple[Format, ...] = get_args(Format)


@dataclass(frozen=True, slots=True)
class ReportJob:
    """What the files are made from. The report is not `labelled`. `numbers`: the style of what people read."""

    report: Report
    protocol: Protocol
    about: ReportContext
    formats: tuple[Format, ...]
    numbers: NumberStyle = "plain"


def zipped(files: Mapping[str, bytes]) -> bytes:
    """The files in one archive."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, one in files.items():
            archive.writestr(zipfile.ZipInfo(path, (2000, 1, 1, 0, 0, 0)), one, zipfile.ZIP_DEFLATED)
    return content.getvalue()
