"""Search in the documentation: sections that contain every word or a synonym of it, headings first."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from markupsafe import Markup, escape

from app.base.help.library import Heading, Library
from app.base.help.synonyms import SYNONYMS

MAX_RESULTS, MAX_WORDS = 30, 8
_TAG = re.compile(r"</?\w[^>]*>")
_HEADING = re.compile(r"^#{1,6} (.+)$")
_MARKUP = re.compile(
    r"^[-:| ]+$|^\s*(?:[-*]|\d+\.) |!?\[([^\]]*)\]\([^)]*\)|[*`|#>_]{1,3}(?=\W|$)|(?<!\w)[*`|_]{1,3}", re.MULTILINE
)
# They are in every section.
_FILLERS = frozenset(
    {"a", "about", "an", "and", "are", "as", "be", "can", "do", "does", "for", "get", "have", "how", "i", "if", "in"}
    | {"is", "it", "many", "much", "my", "need", "of", "on", "or", "should", "someone", "that", "the", "there", "this"}
    | {"to", "we", "what", "when", "where", "which", "who", "why", "will", "with", "you"}
)
# Words in front of the first one that was found, and in the whole excerpt.
N_BEFORE, N_EXCERPT = 12, 40
TITLE_WEIGHT, HEADING_WEIGHT, MAX_COUNT = 8, 10, 4
# The beginning of a page is what most people look for; lists in the appendices and pages about the code are not.
FIRST_WEIGHT, SHARES = 6, {"Appendices": 0.4, "Contribute": 0.6}
# What was typed counts more than a synonym. Shorter words must be in the text as they are: "irr" is not "irregular".
SYNONYM_SHARE, MIN_BEGINNING = 0.7, 4
SIMILARITY = 0.78


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of a page and the text below it."""

    name: str
    page: str
    anchor: str
    heading: str
    text: str
    share: float = 1.0
    """How much it counts compared with other sections."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that was found, with the words around the first match."""

    section: Section
    excerpt: Markup


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found; `is_partial` if no section has all words, and these have some of them.

    `also` are the synonyms that were looked for, `similar` known words that are spelled like unknown ones.
    """

    hits: tuple[Hit, ...] = ()
    is_partial: bool = False
    also: tuple[str, ...] = ()
    similar: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Term:
    """A word or phrase of a query and its synonyms, as patterns."""

    typed: re.Pattern[str]
    synonyms: tuple[re.Pattern[str], ...]

    def score(self, section: Section) -> float:
        """0 if the section has neither."""
        best = max((_count(one, section) for one in self.synonyms), default=0)
        return max(_count(self.typed, section), SYNONYM_SHARE * best)


class SearchIndex:
    """The sections of all pages of the index."""

    def __init__(self, library: Library) -> None:
        """Read all pages."""
        self.sections = [
            section
            for group in library.groups
            for entry in group.entries
            if entry.name in library.names
            for section in _sections(
                entry.name,
                library.source(entry.name),
                library.headings(entry.name),
                SHARES.get(group.title, 1.0),
            )
        ]
        self.words = {word for one in self.sections for word in re.findall(r"[^\W\d_]{4,}", one.text.casefold())}

    def find(self, query: str) -> Found:
        """The best sections that contain a word beginning with each of the query's words, or a synonym of it."""
        typed = re.findall(r"[\w.-]*\w", _TAG.sub(" ", query).casefold())
        terms, also = _terms(typed)
        scores = [(section, [term.score(section) for term in terms]) for section in self.sections]
        complete = [(sum(each), section) for section, each in scores if terms and all(each)]
        partial = [(sum(map(bool, each)) * 100 + sum(each), section) for section, each in scores if any(each)]
        ranked = sorted(complete or partial, key=lambda one: -one[0] * one[1].share)[:MAX_RESULTS]
        shown = [pattern for term in terms for pattern in (term.typed, *term.synonyms)]
        return Found(
            tuple(Hit(section, _excerpt(section.text, shown)) for _, section in ranked),
            is_partial=bool(partial) and not complete,
            also=also,
            similar=() if complete else self._similar(typed),
        )

    def _similar(self, said: Sequence[str]) -> tuple[str, ...]:
        unknown = (word for word in said if not any(known.startswith(word) for known in (*self.words, *_FILLERS)))
        close = (get_close_matches(word, self.words, n=1, cutoff=SIMILARITY) for word in unknown)
        return tuple(dict.fromkeys(word for one in close for word in one))


def _terms(typed: Sequence[str]) -> tuple[list[_Term], tuple[str, ...]]:
    """The phrases and words of a query, the longest known phrase first, and the synonyms of all of them.

    Words that are in every section are left out, unless nothing else was typed.
    """
    terms, also, place = list[_Term](), dict[str, None](), 0
    left_out = _FILLERS if set(typed) - _FILLERS else frozenset[str]()
    while place < len(typed) and len(terms) < MAX_WORDS:
        phrases = (" ".join(typed[place : place + n]) for n in range(MAX_WORDS, 0, -1))
        phrase = next((one for one in phrases if one in SYNONYMS), typed[place])
        if phrase not in left_out:
            synonyms = SYNONYMS.get(phrase, ())
            terms.append(_Term(_pattern(phrase), tuple(map(_pattern, synonyms))))
            also |= dict.fromkeys(synonyms)
        place += phrase.count(" ") + 1
    return terms, tuple(also)


def _pattern(phrase: str) -> re.Pattern[str]:
    """Whole words that begin with those of a phrase; a plural finds the singular."""
    words = [re.escape(_singular(word)) + (r"\w*" if len(word) >= MIN_BEGINNING else r"\b") for word in phrase.split()]
    return re.compile(r"(?<!\w)" + r"[\s_-]+".join(words), re.IGNORECASE)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > MIN_BEGINNING and word.endswith("s") and not word.endswith("ss") else word


def _count(pattern: re.Pattern[str], section: Section) -> int:
    n = min(sum(1 for _ in pattern.finditer(section.text)), MAX_COUNT)
    in_heading, in_title = bool(pattern.search(section.heading)), bool(pattern.search(section.page))
    is_first = in_title and not section.anchor
    return n + HEADING_WEIGHT * in_heading + TITLE_WEIGHT * in_title + FIRST_WEIGHT * is_first


def _sections(name: str, source: str, headings: Sequence[Heading], share: float) -> Iterator[Section]:
    """The sections of a page, whose first heading is its title; lines in code are no headings."""
    texts, is_code = list[list[str]](), False
    for line in source.splitlines():
        is_code ^= line.startswith("```")
        if not is_code and _HEADING.match(line):
            texts.append([])
        elif texts:
            texts[-1].append(line)
    for place, (heading, lines) in enumerate(zip(headings, texts, strict=True)):
        anchor = heading.anchor if place else ""
        yield Section(name, headings[0].words, anchor, heading.words, _plain("\n".join(lines)), share)


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub(r"\1", text).split())


def _excerpt(text: str, patterns: Sequence[re.Pattern[str]]) -> Markup:
    """The text around the first match, with all matches marked, as whole words."""
    found = [match.start() for pattern in patterns if (match := pattern.search(text))]
    said = text.split()
    first = len(text[: min(found)].split()) if found else 0
    begin = max(first - N_BEFORE, 0)
    shown = " ".join(said[begin : begin + N_EXCERPT])
    marked = re.compile(f"({'|'.join(pattern.pattern for pattern in patterns)})", re.IGNORECASE)
    pieces = [
        Markup("<mark>{}</mark>").format(piece) if place % 2 else escape(piece)
        for place, piece in enumerate(marked.split(shown))
    ]
    return Markup().join(["…" if begin else "", *pieces])
