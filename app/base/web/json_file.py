"""A download of JSON that people can read."""

from __future__ import annotations

import json

from starlette.responses import Response


def data_file(name: str, data: object) -> Response:
    """A download of JSON that people can read."""
    text = json.dumps(data, ensure_ascii=False, indent=1)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="application/json", headers=headers)
