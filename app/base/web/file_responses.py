"""Files that are made for one download: CSV that is safe to open in a spreadsheet, and JSON."""

import csv
import io
import json
from collections.abc import Iterable

from starlette.responses import Response

from app.base.files.protected_text import protected

# A download of JSON that people can read.


def data_file(name: str, data: object) -> Response:
    """A download of JSON that people can read."""
    text = json.dumps(data, ensure_ascii=False, indent=1)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="application/json", headers=headers)


def csv_file(name: str, header: Iterable[str], rows: Iterable[Iterable[str]]) -> Response:
    """Answer with the table; cells that a spreadsheet would take for formulas are disabled."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([protected(cell) for cell in header])
    writer.writerows([protected(cell) for cell in row] for row in rows)
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)
