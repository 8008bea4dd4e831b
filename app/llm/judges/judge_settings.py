"""How a judge is asked: stored with its run, and as attributes of the judge."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, Self

from app.base.words import number_text
from app.llm.client.asked import Asked
from app.llm.client.dialect import N_ALTERNATIVES
from app.llm.client.endpoint import AnswerFormat, Parameters
from app.llm.judges.rater_profiles import RaterProfile

# Raised whenever the words around the plain text of a trial change: judges with different prompts are not one judge.
PROMPT_VERSION = 1
_HASH_LENGTH = 12
EXAMPLES = "Examples of pages and good answers to them. The page to answer comes afterwards."
REFERENCE = "A good answer to this item, to compare with. A response can be as good in other words."
REASON = Asked("reason", "your reasons in one to three sentences, written before the answers", "text")


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """Settings that determine a judge's answers.

    `repeats`: how often each trial is shown; with `both_sides` each time on both sides. `persona`: text that the prompt
    begins with. `profile`: attributes of the rater that the judge stands for, told after the persona. `family`: the
    model's family, for self-preference. `examples`: pages with their answers that the model reads after the
    instructions. `reason_first`: ask for the reasons before the answers. `reference`: the attribute of the items with a
    good answer, which the model reads after the page. `prompt`: the words of one of several prompts that are compared,
    told after the profile, and `prompt_name` what it is called. `series`: the judge that is asked again on a later day;
    `anchors`: the attribute of the items that are asked about, if it is not about all.
    """

    repeats: int = 1
    both_sides: bool = True
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int = 1000
    answer_format: AnswerFormat = "schema"
    persona: str = ""
    profile: tuple[tuple[str, str], ...] = ()
    family: str = ""
    with_probabilities: bool = False
    examples: str = ""
    reason_first: bool = False
    reference: str = ""
    prompt: str = ""
    prompt_name: str = ""
    prompt_version: int = PROMPT_VERSION
    series: str = ""
    anchors: str = ""

    def stored(self) -> dict[str, Any]:
        """The settings as JSON."""
        return {**asdict(self), "profile": [list(pair) for pair in self.profile]}

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """The settings of a run."""
        known = {name: value for name, value in stored.items() if name in cls.__slots__}
        return cls(**known | {"profile": tuple((name, value) for name, value in stored.get("profile", ()))})

    @property
    def parameters(self) -> Parameters:
        """How answers are sampled, without their schema."""
        n_alternatives = N_ALTERNATIVES[0] if self.with_probabilities else 0
        return Parameters(
            self.max_tokens, self.temperature, self.seed, None, self.answer_format, n_alternatives=n_alternatives
        )

    @property
    def before(self) -> str:
        """What the prompt begins with: the persona, the profile, and the words of one of several prompts."""
        lines = [f"- {name.replace('_', ' ')}: {value}" for name, value in self.profile]
        about = "\n".join(["Answer as a rater with this profile:", *lines]) if lines else ""
        return "\n\n".join(part for part in (self.persona.strip(), about, self.prompt.strip()) if part)

    @property
    def after(self) -> str:
        """What the model reads after the instructions: the examples."""
        examples = self.examples.strip()
        return f"{EXAMPLES}\n\n{examples}" if examples else ""

    def fields(self, questions: Sequence[Asked]) -> list[Asked]:
        """The fields of the answer: those of the questions, after the reasons if these are asked for."""
        return [REASON, *questions] if self.reason_first else [*questions]

    def attributes(self, model: str, host: str) -> dict[str, str]:
        """The attributes of the judge."""
        shown = {
            "model": model,
            "endpoint": host,
            "family": self.family,
            "temperature": "" if self.temperature is None else number_text(self.temperature),
            "model_seed": "" if self.seed is None else str(self.seed),
            "repeats": str(self.repeats),
            "both_sides": "yes" if self.both_sides else "no",
            "persona": _hash(self.persona),
            "examples": _hash(self.examples),
            "reason_first": "yes" if self.reason_first else "",
            "reference": self.reference,
            "prompt": self.prompt_name,
            "prompt_words": _hash(self.prompt),
            "prompt_version": str(self.prompt_version),
            "series": self.series,
            "anchors": self.anchors,
        }
        return {**dict(self.profile), **{name: value for name, value in shown.items() if value}}


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:_HASH_LENGTH] if text else ""


def profile_settings(profiles: Sequence[RaterProfile], name: str, settings: JudgeSettings) -> dict[str, JudgeSettings]:
    """The settings of a judge per profile, by its name: the name of the run, a hyphen and that of the profile."""
    return {
        f"{name}-{one.name}": replace(
            settings,
            persona="\n\n".join(part for part in (settings.persona, one.persona) if part),
            profile=one.attributes,
        )
        for one in profiles
    }


def prompt_settings(prompts: Mapping[str, str], judges: Mapping[str, JudgeSettings]) -> dict[str, JudgeSettings]:
    """The settings of each judge with each prompt, by its name: that of the judge, a hyphen and that of the prompt.

    Args:
        prompts: the words of each prompt, by its name; without any, the judges are as they were.
        judges: the settings of each judge, by its name.
    """
    if not prompts:
        return dict(judges)
    return {
        f"{name}-{prompt}": replace(settings, prompt=words, prompt_name=prompt)
        for name, settings in judges.items()
        for prompt, words in prompts.items()
    }
