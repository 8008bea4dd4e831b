"""Names of a study's sources, questions and answers, recognized regardless of case and punctuation."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from app.protocol.study import Protocol

_MAX_WORDS = 40
_WORD = re.compile(r"[^\W_]+")
# With the minus sign or the dash that text processors write.
_NEGATIVE = re.compile(r"\s*[-\u2212\u2013]\s*\d+([.,]\d+)?\s*")


def plain(text: str) -> str:
    """Normalize a name: casefolded words, separated by single spaces. A number keeps its minus, however it is written.

    >>> plain(" Rater_ID"), plain("model-1"), plain("Very good!"), plain("\u2212 1")
    ('rater id', 'model 1', 'very good', '-1')
    """
    words = " ".join(word.casefold() for word in _WORD.findall(text))
    return f"-{words}" if _NEGATIVE.fullmatch(text) else words


@dataclass(frozen=True, slots=True)
class Names:
    """Keys of one kind, by their normalized names. Names that two keys share are left out."""

    keys: tuple[str, ...]
    by_name: Mapping[str, str]

    @classmethod
    def of(cls, named: Mapping[str, Iterable[str]]) -> Self:
        """Build from each key and its other names; a key takes precedence over other names."""
        found: dict[str, str | None] = {}
        for key, names in named.items():
            for name in {plain(text) for text in names} - {""}:
                found[name] = key if found.get(name, key) == key else None
        found |= {plain(key): key for key in named if plain(key)}
        return cls(tuple(named), {name: key for name, key in found.items() if key is not None})

    def key(self, text: str) -> str | None:
        """Return the key that is meant, or None."""
        return text.strip() if text.strip() in self.keys else self.by_name.get(plain(text))

    def in_words(self, words: list[str]) -> tuple[str, slice] | None:
        """Return the key whose name occurs among the words, and its position; the longest name if there are several."""
        words = words[:_MAX_WORDS]
        spans = [slice(start, end) for start in range(len(words)) for end in range(start + 1, len(words) + 1)]
        for span in sorted(spans, key=lambda span: span.start - span.stop):
            key = self.by_name.get(plain(" ".join(words[span])))
            if key is not None:
                return key, span
        return None


def source_names(protocol: Protocol) -> Names:
    """Return the sources by key and label."""
    return Names.of({key: [protocol.labels.source(key)] for key in protocol.sources})


def question_names(protocol: Protocol) -> Names:
    """Return the questions by key and label."""
    return Names.of({question.key: [protocol.labels.question(question.key)] for question in protocol.questions})


def words_of(column: str) -> list[str]:
    """Split a column name into words, as written.

    >>> words_of("Eval 1 Quality (Physician)")
    ['Eval', '1', 'Quality', 'Physician']
    """
    return _WORD.findall(column)
