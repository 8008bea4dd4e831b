"""A judge of a small study and the false server that it asks, for tests of runs."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from app.llm.client.budget import Budget, Prices
from app.llm.client.endpoint import Endpoint
from app.llm.client.retries import RetryPolicy
from app.llm.judges.judge_runs import begin_run
from app.llm.judges.judge_settings import JudgeSettings
from app.llm.runs.requests import Progress, get_progress, list_problems
from app.llm.runs.run_work import work_on
from app.llm.runs.runs import RunRow, get_run, record_stop
from app.studies.studies import get_study
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of
from tests.kit.models_server import KEY, ModelServer, first_offer, serving

Make = Callable[..., tuple["Judge", ModelServer]]

IMPATIENT = RetryPolicy(n_tries=3, base_s=0.001, max_s=0.002)


def no_room(db: Connection, condition: str, error: str = "disk_full") -> None:
    """Let the database refuse ratings for which this is true, as it does when its disk is full."""
    db.execute(
        text(f"""CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '{error}';
                 END $$""")
    )
    db.execute(
        text(f"""CREATE TRIGGER no_room BEFORE INSERT ON ratings FOR EACH ROW WHEN ({condition})
                 EXECUTE FUNCTION no_room()""")
    )


class Judge:
    """A judge of the study `study` in a database of the test's own."""

    def __init__(self, engine: Engine, server: ModelServer, **settings: Any) -> None:  # noqa: ANN401 - any of them
        self.engine, self.settings = engine, JudgeSettings(**settings)
        self.endpoint = Endpoint(server.address, "test-model", KEY, timeout_s=30.0)
        with engine.begin() as db:
            study = get_study(db, "study")
            assert study
            self.study = study
            self.run, _ = begin_run(db, study, self.endpoint, self.settings, "judge")

    def again(self, endpoint: Endpoint) -> None:
        """Read the run again, as another process does, with this endpoint."""
        with self.engine.begin() as db:
            self.endpoint = endpoint
            self.run, _ = begin_run(db, self.study, endpoint, self.settings, "judge")

    def go(self, budget: Budget | None = None, **parts: Any) -> Progress:  # noqa: ANN401 - any of them
        """Work on the run until it ends; return its state."""
        with self.engine.begin() as db:
            record_stop(db, self.run, None)
        options = {"retry_policy": IMPATIENT, "n_at_once": 2, **parts}
        work_on(self.engine.begin, self.run, self.endpoint, budget or Budget(Prices()), **options)
        with self.engine.connect() as db:
            return get_progress(db, self.run)

    def rows(self, query: str) -> list[Any]:
        """The rows of a query."""
        with self.engine.connect() as db:
            return [tuple(row) for row in db.execute(text(query))]

    @property
    def problems(self) -> list[tuple[str, str, int]]:
        """What went wrong."""
        with self.engine.connect() as db:
            return [(str(outcome), words, n) for outcome, words, n in list_problems(db, self.run)]

    @property
    def stop_reason(self) -> str | None:
        """Why the run ended early."""
        with self.engine.connect() as db:
            found: RunRow | None = get_run(db, self.study.id, "judge", "judge")
        assert found
        return found.stop_reason


@pytest.fixture
def judge(engine: Engine) -> Iterator[Callable[..., tuple[Judge, ModelServer]]]:
    """Create a study of two items, a server with this behaviour, and a judge."""
    open_servers = []

    def make(behave: Any = first_offer, *, server: Any = None, n_items: int = 2, **settings: Any) -> Any:  # noqa: ANN401
        protocol = protocol_of(questions=settings.pop("questions", [PREFERENCE, EMPATHY]))
        with engine.begin() as db:
            build_study(db, protocol, n_items=n_items, texts=settings.pop("texts", ()))
        context = serving(server or ModelServer(behave))
        open_servers.append(context)
        made = context.__enter__()
        return Judge(engine, made, **settings), made

    yield make
    for context in open_servers:
        context.__exit__(None, None, None)
