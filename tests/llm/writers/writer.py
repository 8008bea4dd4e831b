"""A run that writes responses by a prompt file, for tests."""

from typing import Any

from sqlalchemy import Engine

from app.llm.client.budget import Budget, Prices
from app.llm.client.endpoint import Endpoint
from app.llm.client.retries import RetryPolicy
from app.llm.runs.requests import Progress, get_progress, list_problems
from app.llm.runs.run_work import work_on
from app.llm.runs.runs import record_stop
from app.llm.writers.prompt import read_prompt
from app.llm.writers.respond_runs import begin_respond
from app.llm.writers.respond_settings import RespondSettings
from app.llm.writers.texts import list_texts
from app.studies.studies import get_study
from tests.kit.models_server import KEY, ModelServer

PROMPT = "name: warm\nsystem: Be warm.\n"
IMPATIENT = RetryPolicy(n_tries=2, base_s=0.001, max_s=0.002)


def settings_of(prompt: str, **settings: Any) -> RespondSettings:  # noqa: ANN401 - any of them
    parsed, file = read_prompt(prompt.encode(), "prompt.yaml")
    return RespondSettings(parsed.model_dump(mode="json"), file, **settings)


class Writer:
    """A run that writes responses to the study `study`."""

    def __init__(self, engine: Engine, server: ModelServer, prompt: str, name: str = "run", **settings: Any) -> None:  # noqa: ANN401 - any of them
        self.engine, self.settings = engine, settings_of(prompt, **settings)
        self.endpoint = Endpoint(server.address, "test-model", KEY, timeout_s=30.0)
        with engine.begin() as db:
            study = get_study(db, "study")
            assert study
            self.study = study
            self.run, _ = begin_respond(db, study, self.endpoint, self.settings, name, file="prompt.yaml")

    def go(self, budget: Budget | None = None) -> Progress:
        """Work on the run until it ends."""
        with self.engine.begin() as db:
            record_stop(db, self.run, None)
        options = {"n_at_once": 1, "retry_policy": IMPATIENT}
        work_on(self.engine.begin, self.run, self.endpoint, budget or Budget(Prices()), **options)
        with self.engine.connect() as db:
            return get_progress(db, self.run)

    @property
    def texts(self) -> list[tuple[str, int, int | None]]:
        """The texts with their words and the words asked for."""
        with self.engine.connect() as db:
            return [(row.text, row.n_words, row.target_words) for row in list_texts(db, self.run)]

    @property
    def problems(self) -> list[str]:
        """What went wrong."""
        with self.engine.connect() as db:
            return [words for _, words, _ in list_problems(db, self.run)]


def says(words: object) -> ModelServer:
    """A server that always says this."""
    return ModelServer(lambda _prompt, _rng: words)
