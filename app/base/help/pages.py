"""The pages of Help. They ask no database, so that they can be read while it cannot be reached."""

import re
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, Response

from app.base.help.library import INDEX, Library
from app.base.help.search import MAX_WORDS, SearchIndex
from app.base.rendering.pages import page

router = APIRouter()
OK, NOT_FOUND = 200, 404
MAX_QUERY = 200


@router.get("/help")
def show_help(request: Request) -> Response:
    return page(request, "base/help/index.html", lead=None, library=_library(request), words="")


@router.get("/help/search")
def show_help_search(request: Request, words: str = "") -> Response:
    return _search_page(request, words)


@router.get("/help/{page_name:path}")
def show_help_page(request: Request, page_name: str) -> Response:
    library = _library(request)
    if page_name in library.scripts:
        path = library.folder / page_name
        return FileResponse(path, media_type="text/csv" if path.suffix == ".csv" else "text/plain")
    if page_name not in library.names or page_name == INDEX:
        return _search_page(request, re.sub(r"[^\w.]+|_", " ", page_name), missing=page_name)
    before, after = library.around(page_name)
    context: dict[str, Any] = {"shown": library.page(page_name), "name": page_name, "before": before, "after": after}
    return page(request, "base/help/page.html", lead=None, library=library, words="", **context)


def _search_page(request: Request, query: str, missing: str = "") -> Response:
    """What a search found; or what could have been meant by the address of a page that is `missing`."""
    words = query[:MAX_QUERY].strip()
    context: dict[str, Any] = {"words": words, "found": _index(request).find(words), "missing": missing[:MAX_QUERY]}
    return page(
        request,
        "base/help/search.html",
        lead=None,
        library=_library(request),
        is_cut=len(query.strip()) > MAX_QUERY or len(words.split()) > MAX_WORDS,
        status=NOT_FOUND if missing else OK,
        **context,
    )


def _library(request: Request) -> Library:
    library: Library = request.app.state.help
    return library


def _index(request: Request) -> SearchIndex:
    """The index is made for the first search."""
    state = request.app.state
    if not hasattr(state, "help_index"):
        state.help_index = SearchIndex(_library(request))
    index: SearchIndex = state.help_index
    return index


# Which page of Help explains each page of a lead: by the name of the handler; others link to the index.
TOPICS = {
    "show_studies": "tutorial",
    "show_new_study": "tutorial#1-start",
    "submit_new_study": "study-folder",
    "show_template": "templates",
    "submit_template": "templates",
    "submit_sheet": "tutorial#1-start",
    "show_sheet": "tutorial#1-start",
    "submit_sheet_description": "tutorial#1-start",
    "show_texts": "tutorial#2-texts",
    "submit_text_file": "tutorial#2-texts",
    "show_study": "tutorial#7-follow-the-ratings",
    "show_design": "editing-a-study",
    "show_section": "editing-a-study",
    "show_questions_list": "editing-a-study#questions",
    "show_question": "editing-a-study#questions",
    "show_text": "protocol",
    "submit_text": "protocol",
    "show_preregistration": "editing-a-study",
    "show_plan": "planning",
    "show_items": "results",
    "show_item": "results",
    "submit_image": "study-folder",
    "show_raters": "raters",
    "show_recruitment": "prolific",
    "submit_recruitment": "prolific",
    "submit_rater_invitations": "experts",
    "show_messages": "raters",
    "show_judges": "models",
    "show_new_judge": "models",
    "show_generated": "models",
    "show_new_generated": "models",
    "show_generated_texts": "models",
    "show_prompt_comparison": "models",
    "show_webhooks": "webhooks",
    "show_results": "results",
    "show_results_part": "statistics",
    "show_snapshot": "results",
    "show_downloads": "results#downloads",
    "show_people": "editing-a-study#people",
    "show_settings": "editing-a-study#copy-archive-delete",
    "show_tokens": "api",
    "show_account": "security#leads",
}


def help_for(request: Request) -> str:
    """The address of the page of Help that explains the page of this request."""
    endpoint = request.scope.get("endpoint")
    topic = TOPICS.get(getattr(endpoint, "__name__", ""), "")
    return f"/help/{topic}" if topic else "/help"
