"""What may identify a person in a text, found by simple rules. A reader decides; the rules only show where to look."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

# What a removed passage is replaced by, each with the name of its button.
KINDS = {
    "name": "Name",
    "e-mail": "E-mail address",
    "phone": "Phone number",
    "address": "Address",
    "link": "Web address",
    "date": "Date",
    "number": "Number",
    "place": "Place",
    "removed": "Anything else",
}
_MONTH = (
    "(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|März|Apr(?:il)?|May|Mai|June?|Juni|July?|Juli|Aug(?:ust)?"
    r"|Sept?(?:ember)?|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?)(?:\.(?= ?\d))?"
)
_NAME = r"[A-ZÀ-ÖØ-Þ][\w'’-]{1,40}"
_NAMES = rf"{_NAME}(?: {_NAME}){{0,2}}"
_ROAD = "Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Boulevard|Blvd|Court|Place|Square|Way|Terrace|Close|Crescent"
_RELATIVE = (
    "husband|wife|partner|boyfriend|girlfriend|fianc[ée]e?|son|daughter|brother|sister|mother|mum|mom|father|dad|aunt"
    "|uncle|cousin|(?:best )?friend|boss|manager|colleague|teacher|doctor|therapist|neighbou?r|Mann|Frau|Freund(?:in)?"
    "|Sohn|Tochter|Bruder|Schwester|Mutter|Vater|Chef(?:in)?"
)
# Each is bounded, or begins where a word begins: 50,000 letters without a space are read once.
_RULES = (
    ("e-mail", re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ("link", re.compile(r"(?:https?://|(?<![\w.])www\.)[^\s<>\"]*[^\s<>\".,;:!?)\]}'’]")),
    (
        "link",
        re.compile(r"(?<![\w.@-])(?:[\w-]{1,63}\.){1,4}(?:com|org|net|edu|gov|info|io|de|at|ch|uk|eu)(?![\w.]\w)\b"),
    ),
    (
        "date",
        re.compile(r"(?<![\w.])\d{4}-\d{1,2}-\d{1,2}(?!\w)|(?<![\w.])\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})(?!\w)"),
    ),
    (
        "date",
        re.compile(rf"(?<!\w)\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of )?{_MONTH}(?!\w)(?:,? \d{{4}})?(?!\w)", re.IGNORECASE),
    ),
    ("date", re.compile(rf"(?<!\w){_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?!\w)(?:,? \d{{4}}(?!\w))?", re.IGNORECASE)),
    ("address", re.compile(rf"(?<!\w)\d{{1,5}}[a-z]? (?:[A-Z][\w'’.-]{{0,30}} ){{1,3}}(?:{_ROAD})(?!\w)")),
    (
        "address",
        re.compile(r"(?<!\w)[A-ZÄÖÜ][\w-]{0,40}(?:straße|strasse|str\.|weg|gasse|platz|allee) \d{1,4} ?[a-z]?(?!\w)"),
    ),
    ("address", re.compile(r"(?<!\w)[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}(?!\w)")),
    ("phone", re.compile(r"(?<![\w.,])[+(]?\d(?:[ ()/.-]{0,2}\d){6,14}(?!\w)")),
    ("number", re.compile(r"(?<![\w.,])\d{4,}(?!\w)")),
    ("name", re.compile(r"(?<![\w@.])@\w{2,40}")),
)
# The first group is the name.
_AFTER = (
    re.compile(
        rf"(?<!\w)(?i:my name is|my name['’]s|ich hei(?:ß|ss)e|mein name ist) (\w[\w'’-]{{1,40}}(?: {_NAME}){{0,2}})"
    ),
    re.compile(rf"(?<!\w)(?i:call me|called|named|this is|i am|i['’]m|ich bin|namens) ({_NAMES})"),
    re.compile(rf"(?<!\w)(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Herrn?|Frau)\.? ({_NAMES})"),
    re.compile(rf"(?<!\w)(?i:my|our|meine?[mnr]?|unsere?[mnr]?) (?i:{_RELATIVE}),? (?:is )?({_NAME})"),
)
_NO_NAMES = frozenset(
    {"I", "I'm", "I’m", "I've", "I’ve", "I'd", "I’d", "I'll", "I’ll", "not", "It", "He", "She", "They", "We"}
)


class Found(NamedTuple):
    """A passage of a text, and what it may be: a key of `KINDS`."""

    start: int
    end: int
    kind: str


def find_personal(texts: Sequence[str]) -> list[list[Found]]:
    """The passages of each text that a rule finds, in order and without overlaps.

    A name that one of the texts introduces is found wherever it stands in them.

    >>> find_personal(["My name is Sarah.", "Thank you, Sarah!"])
    [[Found(start=11, end=16, kind='name')], [Found(start=11, end=16, kind='name')]]
    >>> find_personal(["Write to a.b@example.org, or call 0171 2345678 before 3 May."])[0][-1]
    Found(start=54, end=59, kind='date')
    """
    names = {name for text in texts for name in _names(text)}
    known = None
    if names:
        longest_first = sorted(names, key=lambda name: (-len(name), name))
        known = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    return [_apart(_in(text, known), len(text)) for text in texts]


def _in(text: str, names: re.Pattern[str] | None) -> Iterator[Found]:
    for kind, rule in _RULES:
        yield from (Found(*match.span(), kind) for match in rule.finditer(text))
    yield from (Found(*match.span(), "name") for match in (names.finditer(text) if names else ()))


def _names(text: str) -> Iterator[str]:
    """The names that are introduced in a text, whole and in parts."""
    for rule in _AFTER:
        for match in rule.finditer(text):
            yield from (part for part in match[1].split(" ") if part not in _NO_NAMES)


def _apart(found: Iterable[Found], n_characters: int) -> list[Found]:
    """In order; of passages that overlap, the one that the earlier rule found."""
    kept, is_taken = list[Found](), bytearray(n_characters)
    for one in found:
        if not any(is_taken[one.start : one.end]):
            kept.append(one)
            is_taken[one.start : one.end] = b"\1" * (one.end - one.start)
    return sorted(kept)


def replaced(text: str, found: Iterable[Found]) -> str:
    """The text with a mark in place of each passage.

    >>> replaced("My name is Sarah.", [Found(11, 16, "name")])
    'My name is [name].'
    """
    return "".join(words if kind is None else f"[{kind}]" for words, kind in pieces(text, found))


def pieces(text: str, found: Iterable[Found]) -> Iterator[tuple[str, str | None]]:
    """The text in pieces, each with its kind if a rule found it."""
    at = 0
    for one in found:
        if one.start > at:
            yield text[at : one.start], None
        yield text[one.start : one.end], one.kind
        at = one.end
    if at < len(text):
        yield text[at:], None
