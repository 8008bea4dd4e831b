"""An application with a small open study, and visitors to it."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from starlette.testclient import TestClient

from app.actions.studies.life_cycle import open_study
from app.main import create_app
from app.storage.database.engine import transactions
from tests.builder import build_study, protocol_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fastapi import FastAPI
    from sqlalchemy import Engine

ORIGIN = "http://testserver"
FULL = {"q0": "left", "q1r0": "4", "q1r1": "2"}


class Visitor(TestClient):
    """A browser without scripts: keeps its cookies and follows redirects."""

    def arrive(self, who: str = "anna", slug: str = "study") -> Any:  # noqa: ANN401 - httpx's response
        """Come by Prolific's link."""
        return self.get(f"/s/{slug}", params={"PROLIFIC_PID": who, "STUDY_ID": "st", "SESSION_ID": f"se-{who}"})

    def begin(self, who: str = "anna", slug: str = "study") -> Any:  # noqa: ANN401
        """Come and press *Begin*."""
        self.arrive(who, slug)
        return self.post(f"/s/{slug}/start")

    def rate(self, page: Any, data: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401
        """Answer a page and press *Next*."""
        return self.post(form_address(page), data=FULL if data is None else data)


def form_address(page: Any) -> str:  # noqa: ANN401
    """Where the page's form goes."""
    found = re.search(r'action="(/s/[^"/]+/rate/[^"]+)"', page.text)
    assert found, page.text
    return found[1]


def heading(page: Any) -> str:  # noqa: ANN401
    """The page's h1."""
    found = re.search(r"<h1[^>]*>([^<]*)</h1>", page.text)
    assert found, page.text
    return found[1]


def n_checked(page: Any) -> int:  # noqa: ANN401
    """How many radios and boxes of its questions are checked."""
    return int(page.text[page.text.index('class="asks"') :].count(" checked"))


@pytest.fixture
def study(engine: Engine) -> Callable[..., int]:
    """Opened studies: what is handed over are parts of a protocol, and `n_items` or `texts`."""

    def make(**parts: Any) -> int:  # noqa: ANN401
        build = {name: parts.pop(name) for name in ("n_items", "texts") if name in parts}
        protocol = protocol_of(**parts)
        with engine.begin() as db:
            study_id = build_study(db, protocol, **build)
            open_study(db, protocol["slug"])
        return study_id

    return make


@pytest.fixture(scope="session")
def built_app(shared_engine: Engine) -> FastAPI:
    """The application, put together once: its templates are read and compiled only then."""
    made = create_app(shared_engine)
    made.state.allowed_hosts = ["testserver"]
    return made


@pytest.fixture
def app(built_app: FastAPI, engine: Engine) -> FastAPI:
    """The application on the test's own database: leases and times need transactions that really end."""
    built_app.state.begin = transactions(engine)
    return built_app


@pytest.fixture
def visitor(app: FastAPI) -> Callable[[], Visitor]:
    """Another browser each time."""
    return lambda: Visitor(app, base_url=ORIGIN, headers={"Origin": ORIGIN})


@pytest.fixture
def statements() -> Callable[[], Any]:
    """What SQL runs inside a `with` block, by SQLAlchemy or without it."""

    @contextmanager
    def listen() -> Iterator[list[str]]:
        seen: list[str] = []

        execute = psycopg.Cursor.execute

        def note(cursor: psycopg.Cursor[Any], statement: Any, *rest: Any, **options: Any) -> Any:  # noqa: ANN401
            seen.append(str(statement))
            return execute(cursor, statement, *rest, **options)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(psycopg.Cursor, "execute", note)
            yield seen

    return listen
