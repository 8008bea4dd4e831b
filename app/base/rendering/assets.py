"""Scripts, styles and the font, served under the hash of their content; htmx and the font come from packages."""

import gzip
import hashlib
import mimetypes
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import fontpkg
from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

# Whether a response may be sent compressed.


def accepts_gzip(headers: Headers) -> bool:
    """Whether the request accepts gzip."""
    return "gzip" in headers.get("accept-encoding", "")


# htmx 2.0.3 as packaged. Verified because another file with the same name would run in every rater's browser.
HTMX_SHA256 = "491955cd1810747d7d7b9ccb936400afb760e06d25d53e4572b64b6563b2784e"
# One file with all weights. Styles name it without its hash.
FONT = "public-sans.ttf"
COMPRESSED = (".webp", ".png")
FOREVER = "public, max-age=31536000, immutable"


def htmx_file() -> Path:
    """The path of the packaged htmx.

    Raises:
        RuntimeError: the package is missing, or its file does not have the expected hash.
    """
    spec = find_spec("js_lib_htmx")
    if spec is None or spec.origin is None:
        raise RuntimeError("the package django-js-lib-htmx is not installed")
    path = Path(spec.origin).parent / "static" / "htmx" / "htmx.min.js"
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != HTMX_SHA256:
        raise RuntimeError(f"htmx.min.js is not the file that was checked: SHA-256 {found}")
    return path


def _files(folders: Iterable[Path]) -> list[Path]:
    found = (path for folder in folders for path in folder.rglob("*"))
    return sorted(path for path in found if path.is_file() and path.name[0] != ".")


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:16]


class Assets:
    """Maps names of files to addresses, and serves the files, those of subfolders under their own names too."""

    def __init__(self, *folders: Path) -> None:
        """Read all files once: they are small and are served from memory."""
        files = {path.name: path for path in _files(folders)}
        files |= {"htmx.js": htmx_file(), FONT: fontpkg.path("Public Sans")}
        self._content = {name: path.read_bytes() for name, path in files.items()}
        font = f"../{_digest(self._content[FONT])}/{FONT}".encode()
        for name in self._content:
            if name.endswith(".css"):
                self._content[name] = self._content[name].replace(FONT.encode(), font)
        self._small = {
            name: gzip.compress(body, mtime=0) for name, body in self._content.items() if not name.endswith(COMPRESSED)
        }
        self._digest = {name: _digest(body) for name, body in self._content.items()}

    def url(self, name: str) -> str:
        """The address of a file, which changes with its content."""
        return f"/static/{self._digest[name]}/{name}"

    def serve(self, request: Request) -> Response:
        """Serve one file; an old hash gives 404, so that pages do not mix versions."""
        name = request.path_params["name"]
        if self._digest.get(name) != request.path_params["digest"]:
            return PlainTextResponse("Not found", status_code=404)
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        headers = {"Cache-Control": FOREVER, "Vary": "Accept-Encoding"}
        if name not in self._small or not accepts_gzip(request.headers):
            return Response(self._content[name], media_type=kind, headers=headers)
        return Response(self._small[name], media_type=kind, headers={**headers, "Content-Encoding": "gzip"})

    def mount(self, app: FastAPI) -> None:
        """Add the route."""
        app.router.routes.append(Route("/static/{digest}/{name}", self.serve))
