"""Templates: one environment, in which undefined names are errors."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Self

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from app.base.language.language import ENGLISH, Language, catalogue_of, language_of
from app.base.language.message import Message
from app.base.rendering.assets import Assets
from app.base.rendering.markdown import markdown
from app.base.rendering.words import FILTERS
from app.base.words import is_number, number_text

# Holes: places in a page that is rendered once and filled for each visitor.


# No text of a study contains it, so that holes cannot be confused with texts.
_MARK = f"hole-{secrets.token_hex(16)}-"
HOLE = re.compile(rf"{_MARK}(\w+);")


class Hole(str):
    """A place in a kept page: it is written into the page like a text, and filled by name."""

    __slots__ = ("name",)
    name: str

    def __new__(cls, name: str) -> Self:
        """A hole with this name, of letters, digits and underscores."""
        hole = super().__new__(cls, f"{_MARK}{name};")
        hole.name = name
        return hole

    def __sub__(self, other: int) -> Hole:
        """The hole of this number minus `other`."""
        return Hole(f"{self.name}_less_{other}")

    @property
    def said(self) -> Hole:
        """The hole of this number, written as in the language of the page."""
        return Hole(f"{self.name}_said")


def say(language: Language, text: Message | str | float) -> str:
    """A message, a number or the hole of a number in a language."""
    return text.said if isinstance(text, Hole) else language.say(text)


_CODE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}")
# The language of the page being rendered, also for imported macros, which have no access to the context.
_now: ContextVar[Language] = ContextVar("language", default=ENGLISH)


def _gettext(text: str) -> str:
    return _now.get().catalogue.gettext(text)


def _ngettext(text: str, plural: str, n: int) -> str:
    return _now.get().catalogue.ngettext(text, plural, n)


def said(text: Message | str | float) -> str:
    """A message translated, or a number formatted, for the language of the page."""
    return say(_now.get(), text)


def language_now() -> Language:
    """The language of the page being rendered."""
    return _now.get()


# Questions take longer to render than all the rest of a page, and are the same for all raters.
MAX_KEPT = 256


class KeptHtml:
    """For templates: `{% call kept(key) %}...{% endcall %}` renders its body once per key.

    The key must contain everything that the body depends on. If a part of it is None, the body is rendered each time.
    """

    def __init__(self, variant: Callable[[], Hashable]) -> None:
        """`variant` returns a part of every key, such as the language of the page."""
        self._variant = variant
        self._kept: dict[Hashable, Markup] = {}

    def __call__(self, *key: Hashable, caller: Callable[[], str]) -> Markup:
        """Return the rendered body of a call block."""
        if None in key:
            return Markup(caller())  # noqa: S704 - a template's own output, escaped there
        whole = (self._variant(), key)
        found = self._kept.get(whole)
        if found is None:
            found = Markup(caller())  # noqa: S704 - as above
            if len(self._kept) >= MAX_KEPT:
                self._kept.clear()
            self._kept[whole] = found
        return found


class Pages:
    """Renders whole pages, or for htmx fragments of them, from the same templates."""

    def __init__(self, folder: Path, assets: Assets, url_for: Callable[..., str]) -> None:
        """Use templates in `folder`; `url_for(handler, **path)` returns the address of a handler."""
        self.environment = Environment(
            loader=FileSystemLoader(folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            extensions=["jinja2.ext.i18n"],
        )
        self.templates = frozenset(self.environment.list_templates())
        self.environment.policies["ext.i18n.trimmed"] = True
        self.environment.install_gettext_callables(_gettext, _ngettext, newstyle=True)  # type: ignore[attr-defined]
        self.environment.globals["asset"] = assets.url
        self.environment.globals["url_for"] = url_for
        self.environment.globals["kept"] = KeptHtml(lambda: _now.get().code)
        self.environment.filters.update(FILTERS, number=number_text, markdown=markdown, said=said)
        self.environment.tests["numeric"] = is_number

    def render(self, template: str, context: dict[str, Any], language: Language = ENGLISH) -> str:
        """The HTML of one template, with its built-in texts in this language."""
        before = _now.set(language)
        try:
            return self.environment.get_template(template).render({"language": language, **context})
        finally:
            _now.reset(before)


def use_language(request: Request, code: str) -> None:
    """Use this language for the response to this request, including errors."""
    request.state.language = language_of(code)


def use_accepted_language(request: Request) -> None:
    """If the study's language is unknown, use the browser's first language that has a catalogue."""
    if hasattr(request.state, "language"):
        return
    accepted = request.headers.get("accept-language", "")[:200].split(",")
    codes = (part.partition(";")[0].strip() for part in accepted)
    if code := next((code for code in codes if _CODE.fullmatch(code) and catalogue_of(code)), None):
        use_language(request, code)


def language_in(request: Request) -> Language:
    """The language of the response to this request."""
    return getattr(request.state, "language", ENGLISH)


def page(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:  # noqa: ANN401 - a template takes anything
    """Respond with a page (`.../rate.html`) or, for htmx, with its fragment (`_rate.html` beside it) if it has one."""
    pages: Pages = request.app.state.pages
    folder, _, name = template.rpartition("/")
    if is_htmx(request) and f"{folder}/_{name}" in pages.templates:
        template = f"{folder}/_{name}"
    html = pages.render(template, {"request": request, **context}, language_in(request))
    return HTMLResponse(html, status_code=status)


def form_page(request: Request, template: str, *, problem: str = "", **context: Any) -> HTMLResponse:  # noqa: ANN401 - a template takes anything
    """A page with a form, or the same page again with the problem of what was sent and status 422."""
    return page(request, template, status=422 if problem else 200, problem=problem, **context)


def is_htmx(request: Request) -> bool:
    """Whether htmx requests a fragment; when it restores a page from the history, it needs the whole page."""
    headers = request.headers
    return headers.get("hx-request") == "true" and headers.get("hx-history-restore-request") != "true"
