"""An application with a small open study, and its visitors."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from fastapi import FastAPI
from sqlalchemy import Engine
from starlette.testclient import TestClient

from app.rating.life_cycle import open_study
from tests.kit.application import renewed
from tests.kit.builder import build_study, protocol_of

ORIGIN = "http://testserver"
FULL = {"q0": "left", "q1r0": "4", "q1r1": "2"}


class Visitor(TestClient):
    """A browser without scripts that keeps its cookies and follows redirects."""

    def arrive(self, who: str = "anna", slug: str = "study") -> Any:  # noqa: ANN401 - httpx's response
        """Open a link from Prolific."""
        return self.get(f"/s/{slug}", params={"PROLIFIC_PID": who, "STUDY_ID": "st", "SESSION_ID": f"se-{who}"})

    def begin(self, who: str = "anna", slug: str = "study") -> Any:  # noqa: ANN401
        """Arrive and press *Begin*."""
        self.arrive(who, slug)
        return self.post(f"/s/{slug}/start")

    def rate(self, page: Any, data: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401
        """Answer a page and press *Next*."""
        return self.post(form_address(page), data=times_of(page) | dict(FULL if data is None else data))


def form_address(page: Any) -> str:  # noqa: ANN401
    """The address that the page's form is submitted to."""
    found = re.search(r'action="(/s/[^"/]+/rate/[^"]+)"', page.text)
    assert found, page.text
    return found[1]


def times_of(page: Any) -> dict[str, str]:  # noqa: ANN401
    """The time when the page was shown, which its form sends if no script replaces it."""
    return dict(re.findall(r'<input type="hidden" name="(at)" value="(\d+)">', page.text))


def without_times(text: str) -> str:
    """A page without the times when it was shown."""
    return re.sub(r'(?:data-now|name="at" value)="\d+"', "", text)


def heading(page: Any) -> str:  # noqa: ANN401
    """The h1 of the page."""
    found = re.search(r"<h1[^>]*>(.*?)</h1>", page.text)
    assert found, page.text
    return re.sub(r"<[^>]*>", "", found[1])


def n_checked(page: Any) -> int:  # noqa: ANN401
    """Number of checked radio buttons and checkboxes of its questions."""
    return int(page.text[page.text.index('class="asks"') :].count(" checked"))


@pytest.fixture
def study(engine: Engine) -> Callable[..., int]:
    """Open studies; the arguments are parts of a protocol, and `n_items` or `texts`."""

    def make(**parts: Any) -> int:  # noqa: ANN401
        build = {name: parts.pop(name) for name in ("n_items", "texts") if name in parts}
        protocol = protocol_of(**parts)
        with engine.begin() as db:
            study_id = build_study(db, protocol, **build)
            open_study(db, protocol["slug"])
        return study_id

    return make


@pytest.fixture
def app(built_app: FastAPI, engine: Engine) -> FastAPI:
    """The application on the test's own database: leases and times need transactions that are committed."""
    made = renewed(built_app, engine)
    made.state.allowed_hosts = ["testserver"]
    return made


@pytest.fixture
def visitor(app: FastAPI) -> Callable[[], Visitor]:
    """Create a new browser on each call."""
    return lambda: Visitor(app, base_url=ORIGIN, headers={"Origin": ORIGIN})


@pytest.fixture
def statements() -> Callable[[], Any]:
    """Record the SQL that runs inside a `with` block, with or without SQLAlchemy."""

    @contextmanager
    def listen() -> Iterator[list[str]]:
        seen: list[str] = []

        execute = psycopg.Cursor.execute

        def note(cursor: psycopg.Cursor[Any], statement: Any, *rest: Any, **options: Any) -> Any:  # noqa: ANN401
            seen.append(str(statement))
            return execute(cursor, statement, *rest, **options)

        execute_at_once = psycopg.AsyncCursor.execute

        async def note_at_once(cursor: psycopg.AsyncCursor[Any], statement: Any, *rest: Any) -> Any:  # noqa: ANN401
            seen.append(str(statement))
            return await execute_at_once(cursor, statement, *rest)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(psycopg.Cursor, "execute", note)
            patch.setattr(psycopg.AsyncCursor, "execute", note_at_once)
            yield seen

    return listen
