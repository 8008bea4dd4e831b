"""Who wrote the responses of a source, guessed from its name: people or models; the lead can correct it."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Literal, get_args

Kind = Literal["human", "model", "human+model"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_SIGNS = re.compile(r"[^\w+&]+|_")
_MODEL = re.compile(
    r"gpt|claude|llama|alpaca|vicuna|gemini|mistral|mixtral|deepseek|qwen|falcon|cerebras|davinci|pythia|stablelm|"
    r"wizardlm|zephyr|olmo|galactica|jurassic|baichuan|internlm|openchat|guanaco|copilot|transformer|chat|model|"
    r"\b(?:llms?|lm|ai|bots?|\w+bot|bard|palm|gemma|koala|dolly|bloom|bloomz|opt|mpt|phi|yi|grok|cohere|command r|glm|"
    r"chatglm|ernie|flan|t5|bert|blender|orca|nova|o[134]|hermes|tulu|machine|generated|system|\d+(?: \d+)?b)\b",
    re.IGNORECASE,
)
_HUMAN = re.compile(
    r"\b(?:humans?|persons?|people|physicians?|doctors?|nurses?|counsell?ors?|therapists?|clinicians?|psychologists?|"
    r"psychiatrists?|professionals?|experts?|peers?|crowd|workers?|writers?|authors?|volunteers?|students?|teachers?|"
    r"supporters?|listeners?|helpers?|friends?|laypersons?|laypeople|redditors?|reddit|participants?|original|gold|mensch|berater(?:in)?|therapeut(?:in)?|ärzt(?:in|e)|arzt|pfleger(?:in)?)\b",
    re.IGNORECASE,
)
_TOGETHER = re.compile(r"[+&]|\b(?:and|with|assisted|edited|plus|hybrid|team)\b", re.IGNORECASE)


def recognized_kind(name: str) -> Kind | None:
    """Return who wrote the responses of a source with this name; None if the name does not say it.

    >>> recognized_kind("ChatGPT Response"), recognized_kind("opt-7b"), recognized_kind("Physician_reply")
    ('model', 'model', 'human')
    >>> recognized_kind("Nurse with GPT-4"), recognized_kind("B")
    ('human+model', None)
    """
    words = _SIGNS.sub(" ", name)
    is_model, is_human = bool(_MODEL.search(words)), bool(_HUMAN.search(words))
    if is_model and is_human and _TOGETHER.search(words):
        return "human+model"
    return "model" if is_model else "human" if is_human else None


def kind_of(name: str, said: Sequence[tuple[str, Kind]] = ()) -> Kind:
    """Return the kind of the last pattern of names that matches; without one the recognized kind, otherwise `human`.

    >>> kind_of("GPT-4"), kind_of("B"), kind_of("B", [("?", "model")]), kind_of("gpt-4", [("GPT*", "human+model")])
    ('model', 'human', 'model', 'human+model')
    """
    matching = [kind for pattern, kind in said if fnmatchcase(name.casefold(), pattern.casefold())]
    return matching[-1] if matching else recognized_kind(name) or "human"
