"""What keeps a study from opening: sources named to blind raters, parts not supported, placeholders, consent."""

import re
from collections.abc import Iterator

from app.protocol.study import Protocol

_FAMILY = "family"
# A family named A or 4 would be found in almost every title.
_MIN_LETTERS = 3


def sources_in_title(protocol: Protocol) -> tuple[str, ...]:
    """Keys of the models that the title for raters names; empty if the study is not blind.

    A model is named if its key or its family occurs as a separate word, in upper or lower case. Human sources are
    ignored: that people wrote responses reveals nothing, and `person` is a common word in titles.

    >>> from app.protocol.study import Protocol
    >>> question = {"key": "warm", "type": "slider", "target": "response", "text": "How warm?"}
    >>> parts = {"attune": 1, "slug": "s", "title": "GPT beside physicians", "questions": [question]}
    >>> parts["sources"] = {"physicians": {"kind": "human"}, "m": {"kind": "model", "family": "gpt"}}
    >>> sources_in_title(Protocol.model_validate(parts))
    ('m',)
    >>> sources_in_title(Protocol.model_validate(parts | {"rater_title": "Replies to patients"}))
    ()
    >>> sources_in_title(Protocol.model_validate(parts | {"design": {"blind": False}}))
    ()
    """
    return sources_named(protocol, protocol.title_for_raters)


def sources_named(protocol: Protocol, words: str) -> tuple[str, ...]:
    """Keys of the models that these words name; empty if the study is not blind."""
    if not protocol.design.blind:
        return ()
    return tuple(
        key
        for key, source in protocol.sources.items()
        if source.kind != "human" and any(_is_in(words, name) for name in _names(key, source.attributes.get(_FAMILY)))
    )


def _names(key: str, family: object) -> Iterator[str]:
    yield from (name for name in (key, str(family or "").strip()) if len(name) >= _MIN_LETTERS)


def _is_in(words: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words, re.IGNORECASE) is not None


# Settings of a protocol that this version does not support for raters yet; studies with them cannot be opened.


def not_carried_out(protocol: Protocol) -> list[str]:
    """The parts of a protocol that raters would not get, as key paths of study.yaml; list positions count from 1.

    >>> from app.protocol.study import Protocol
    >>> question = {"key": "warm", "type": "slider", "target": "response", "text": "How warm?"}
    >>> parts = {"attune": 1, "slug": "s", "title": "T", "questions": [question]}
    >>> parts["conditions"] = {"turn": {"kind": "scale_direction"}}
    >>> parts["flow"] = {"practice": {"trials": [{"item": "p"}]}}
    >>> not_carried_out(Protocol.model_validate(parts))
    ['flow.practice']
    """
    # The scale direction is a condition of the trials, which are assigned after the practice.
    is_turned = any(factor.kind == "scale_direction" for factor in protocol.conditions.values())
    return ["flow.practice"] if protocol.flow.practice and is_turned else []


# Placeholders such as [name and email address] that a template leaves for the lead to fill in.

# Words in square brackets that are not a Markdown link, which is followed by its address.
_PLACEHOLDER = re.compile(r"\[[^\W\d_][^\[\]]*\](?![(\[:])")
# The parts of a protocol with texts that raters read.
_READ = frozenset({"instructions", "questions", "conditions", "conversation", "draft", "flow", "checks", "completion"})
# Except for this one, which a model reads.
_NOT_READ = ".prompt"


def placeholders(protocol: Protocol) -> dict[str, str]:
    """The distinct placeholders in the texts that raters read, each with the path of the text that has it first.

    A path is of keys of study.yaml, and counts the entries of a list from 1: `flow.consent.text`, `questions.2.text`.

    >>> _PLACEHOLDER.findall("Ask [name] or read [our page](https://example.org) [1].")
    ['[name]']
    """
    found: dict[str, str] = {}
    texts = protocol.model_dump(mode="json", include=set(_READ))
    title = "rater_title" if protocol.rater_title else "title"
    for path, text in [(title, protocol.title_for_raters), *_texts(texts, "")]:
        for words in () if path.endswith(_NOT_READ) else _PLACEHOLDER.findall(text):
            found.setdefault(" ".join(words.split()), path)
    return found


def _texts(content: object, path: str) -> Iterator[tuple[str, str]]:
    """Every text in a part, with its path."""
    match content:
        case str():
            yield path, content
        case dict():
            for key, value in content.items():
                yield from _texts(value, f"{path}.{key}" if path else str(key))
        case list():
            for number, value in enumerate(content, 1):
                yield from _texts(value, f"{path}.{number}")


# What raters must be told in the consent form before a study can be opened.

NOT_DECLARED = (
    "The question {question} counts keystrokes and pasted characters, but the consent form does not declare it. "
    "Tell raters in the consent form, and say there that typing is recorded; or do not count it."
)
NOT_SENT = (
    "A model replies to raters, but the consent form does not declare it. Tell raters in the consent form that what "
    "they write is sent to a language model, and say there that you do."
)

NOT_MET = (
    "Raters write with each other, but the consent form does not declare it. Tell raters in the consent form that "
    "another participant reads what they write, and say there that you do."
)


def not_declared(protocol: Protocol) -> list[str]:
    """Why the study cannot be opened: it records or sends what raters write without their consent."""
    consent = protocol.flow.consent
    typed = next((question for question in protocol.questions if question.records_typing), None)
    found = []
    if typed and not (consent and consent.records_typing):
        found.append(NOT_DECLARED.format(question=typed.key))
    partners = protocol.writing.all_partners.values() if protocol.writing else ()
    who = {partner.replies for partner in partners}
    if "model" in who and not (consent and consent.sends_to_model):
        found.append(NOT_SENT)
    if "person" in who and not (consent and consent.sends_to_rater):
        found.append(NOT_MET)
    return found
