"""How a model is asked for responses: stored with its run, and as attributes of the source."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Self
from urllib.parse import urlsplit

from app.base.words import number_text
from app.llm.runs.runs import RunRow
from app.llm.writers.prompt import ModelPrompt
from app.llm.writers.respond_prompt import PROMPT_VERSION

_HASH_LENGTH = 12


@dataclass(frozen=True, slots=True)
class RespondSettings:
    """Settings that determine the texts of a model. `prompt`: the prompt file as data; `prompt_file`: its text."""

    prompt: dict[str, Any]
    prompt_file: str
    temperature: float | None = 0.7
    seed: int | None = None
    max_tokens: int = 2000
    prompt_version: int = PROMPT_VERSION

    @property
    def parsed(self) -> ModelPrompt:
        """The prompt."""
        return ModelPrompt.model_validate(self.prompt)

    @property
    def prompt_hash(self) -> str:
        """The beginning of the SHA-256 of the prompt file, and of the version of the words around it."""
        return sha256(f"{self.prompt_version}\n{self.prompt_file}".encode()).hexdigest()[:_HASH_LENGTH]

    def stored(self) -> dict[str, Any]:
        """The settings as JSON."""
        return asdict(self)

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """The settings of a run."""
        return cls(**{name: value for name, value in stored.items() if name in cls.__slots__})

    def attributes(self, run: RunRow, versions: tuple[str, ...]) -> dict[str, str]:
        """The attributes of the source whose responses come from a run."""
        prompt = self.parsed
        shown = {
            "model": run.model,
            "endpoint": urlsplit(run.endpoint).netloc.rpartition("@")[2],
            "model_version": ", ".join(versions),
            "prompt": prompt.name,
            "prompt_file_version": prompt.version,
            "prompt_hash": self.prompt_hash,
            "temperature": "" if self.temperature is None else number_text(self.temperature),
            "model_seed": "" if self.seed is None else str(self.seed),
            "max_tokens": str(self.max_tokens),
            "run": run.name,
            "generated_on": run.created_at.date().isoformat(),
        }
        return {name: value for name, value in shown.items() if value}
