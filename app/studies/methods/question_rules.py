"""Rules that find questions with their scales and scores in the sentences of a Methods section."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.studies.editor.published_scales import PUBLISHED
from app.studies.methods.guesses import Guess
from app.studies.methods.methods_text import (
    RATERS,
    THINGS,
    N,
    number_of,
)

_N_NEAR = 2

_POINTS = re.compile(rf"\b{N}[- ]point\b", re.IGNORECASE)
_PAIR = re.compile(
    r"(?<![\w.])(-?\d{1,3})\s*(?:=|:|\()\s*[“\"‘']?([A-Za-z][^)”\"’;,=:]{1,60}?)[”\"’']?(?=\s*(?:\)|;|,|\.|$|\bto\b|\band\b|\bthrough\b|[-–—]\s*\d))"
)
_AFTER = re.compile(
    r"[“\"‘']([a-z][^”\"’()]{1,60}?)[”\"’']?\s*\((-?\d{1,3})\)|\b([a-z][a-z ]{2,40}?)\s\((-?\d{1,3})\)", re.IGNORECASE
)
_RANGE = re.compile(
    r"\b(?:from|between|range of|ranging from|scale of)\s+(-?\d{1,3})\s*(?:to|and|[-–—])\s*(-?\d{1,3})\b", re.IGNORECASE
)
_ENDS = re.compile(
    r"\b(?:from|between|anchored (?:by|at|with)|labell?ed)\s+[“\"‘']?([A-Za-z][\w -]{1,40}?)[”\"’']?\s+(?:to|and)\s+[“\"‘']?([A-Za-z][\w -]{1,40}?)[”\"’']?(?=[,.;)]|$| on\b| for\b)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\(([^()\d]{8,200})\)|:\s*([^:.()\d]{8,200})(?=[.;]|$)")
_SLIDER = re.compile(r"\bsliders?\b|\bvisual analog(?:ue)?\b|\bVAS\b", re.IGNORECASE)
_LONGEST_SCALE = 11


def _scale_in(sentence: str) -> dict[str, str] | None:
    """The points of the scale that a sentence describes, from value to words; None if it describes none."""
    pairs = {int(number): words.strip() for number, words in _PAIR.findall(sentence)}
    for before, one, after, other in _AFTER.findall(sentence):
        words = re.sub(r"^.*\b(?:from|to|and)\s+", "", (before or after).strip())
        pairs.setdefault(int(one or other), words.strip())
    found = _POINTS.search(sentence)
    n = number_of(found[1]) if found else 0
    numbers = _RANGE.search(sentence)
    if len(pairs) > 1:
        low, high = min(pairs), max(pairs)
    elif numbers and int(numbers[1]) < int(numbers[2]):
        low, high = int(numbers[1]), int(numbers[2])
    elif n > 1:
        low, high = 1, n
    else:
        return None
    if not 1 <= high - low <= 100:  # noqa: PLR2004 - the longest slider
        return None
    points = {str(value): pairs.get(value, "") for value in range(low, high + 1)}
    return points if any(points.values()) else _with_words(points, sentence)


def _with_words(points: dict[str, str], sentence: str) -> dict[str, str]:
    for one, other in _LISTED.findall(sentence):
        words = _listed(one or other)
        if len(words) == len(points):
            return dict(zip(points, words, strict=True))
    ends = _ENDS.search(sentence)
    if ends:
        first, *_, last = points
        return points | {first: ends[1].strip(), last: ends[2].strip()}
    return points


_WHAT = r"((?:[\w’'/-]+,?\s+){0,14}?[\w’'/-]+)"
_STOP = r"(?=,?\s*(?:\bon\b|\busing\b|\bfrom\b|\bwith\b|\bvia\b|\balong\b|\bby\b|[.;(]|$))"
_DIMENSIONS = (
    re.compile(
        rf"\b(?:rated|evaluated|judged|scored|assessed|annotated|rate)\s+(?:each|every|all|the|both|these|{N})\s+(?:\w+\s+){{0,3}}?{THINGS}\s+(?:for|on|in terms of|regarding|with respect to|along|according to)\s+(?:{N}\s+)?(?:(?:dimensions?|aspects?|criteria|items?|qualities)\s*[:,(]?\s*)?(?:(?:their|its|the|perceived|how)\s+)*{_WHAT}{_STOP}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:dimensions|aspects|criteria|qualities|attributes)\b\s*(?:of \w+\s*)?(?:were|are|:|,|\(|namely|including|such as)+\s*:?\s*{_WHAT}{_STOP}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:rated|judged|scored|assessed|evaluated|rate)\s+(?:the\s+|their\s+|how\s+)?(?:perceived\s+|overall\s+)?{_WHAT}\s+(?:of\s+(?:each|every|the|both|all)\s+(?:\w+\s+){{0,3}}?{THINGS}\s*)?(?:on|using|from|with)\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:^|[,;]\s*)(?:the\s+)?(?:perceived\s+)?{_WHAT}\s+(?:of\s+(?:each|every|the)\s+(?:\w+\s+){{0,2}}?{THINGS}\s+)?(?:was|were)\s+(?:each\s+|then\s+|both\s+)?(?:rated|measured|assessed|judged|scored|evaluated)\s+(?:on|using|with|from)\b",
        re.IGNORECASE,
    ),
)
_QUOTED = re.compile(r"[“\"]([^”\"]{6,240}?[?.]?)[”\"]")
_NO_DIMENSION = re.compile(
    rf"\b(?:agreement|reliability|consistency|kappa|age|gender|power|yields?|scale|likert|point|which|that|were|was|who|participants?|{THINGS}|{RATERS}|study|data|we|they|it|system|models?)\b|\d|^(?:both|each|all|them|overall|then|independently|separately)$",
    re.IGNORECASE,
)
_AGREEING = re.compile(r"\bagree", re.IGNORECASE)
_LONGEST_NAME = 5


def questions_in(sentences: Sequence[str]) -> Iterator[Guess]:
    """Each quoted question and each dimension that is rated, with the scale in the same sentence or the next ones."""
    for place, sentence in enumerate(sentences):
        yield from _choices(sentence)
        yield from _published(sentence)
        clauses = _CLAUSE.split(sentence)
        if len(clauses) > 1 and all(_scale_in(clause) and _dimensions_in(clause) for clause in clauses):
            for clause in clauses:
                yield from (replace(guess, sentence=sentence) for guess in _asked([clause], 0))
        else:
            yield from _asked(sentences, place)


_CLAUSE = re.compile(
    r",?\s+and\s+(?:then\s+)?(?=(?:\w+\s+)?(?:rated|scored|judged|assessed|evaluated)\b)|;\s+", re.IGNORECASE
)


def _asked(sentences: Sequence[str], place: int) -> Iterator[Guess]:
    """The questions of one sentence."""
    for sentence in sentences[place : place + 1]:
        dimensions = _dimensions_in(sentence)
        own_scale = _scale_in(sentence)
        is_asked = (own_scale and not dimensions) or _AGREEING.search(sentence)
        words_of_scale = {words.strip(" .") for words in (own_scale or {}).values()}
        quoted = [
            one
            for one in _QUOTED.findall(sentence)
            if one.endswith("?") or (is_asked and _is_statement(one) and one.strip(" .") not in words_of_scale)
        ]
        if not dimensions and not quoted:
            continue
        scale = next((found for near in _near(sentences, place) if (found := _scale_in(near))), None)
        if scale is None or _asks_choice(sentence):
            continue
        is_slider = any(map(_SLIDER.search, _near(sentences, place))) or len(scale) > _LONGEST_SCALE
        texts = quoted if len(quoted) == max(1, len(dimensions)) else []
        for number, name in enumerate(dimensions or [_short(one) for one in quoted]):
            text = texts[number] if texts else quoted[number] if not dimensions else ""
            words = {"label": name, "text": text}
            first, *_, last = scale
            if is_slider:
                ends = {"min": first, "max": last, "min_words": scale[first], "max_words": scale[last]}
                yield Guess("slider", sentence, words | ends)
            else:
                lines = "\n".join(f"{value} = {said}" if said else value for value, said in scale.items())
                yield Guess("rating", sentence, words | {"labels": lines})


def _near(sentences: Sequence[str], place: int) -> list[str]:
    """A sentence, the next ones, and the one before."""
    return [*sentences[place : place + 1 + _N_NEAR], *sentences[max(0, place - 1) : place]]


def _dimensions_in(sentence: str) -> list[str]:
    sentence = re.sub(r"\s*\([^()]*\)", "", sentence)
    for pattern in _DIMENSIONS:
        for found in pattern.finditer(sentence):
            groups = [one for one in found.groups() if one and number_of(one) == 0]
            listed = re.split(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+|\s+as well as\s+", groups[-1]) if groups else []
            names = [name for name in map(_cleaned, listed) if _is_dimension(name)]
            if names:
                return [name[:1].upper() + name[1:] for name in dict.fromkeys(names)]
    return []


def _cleaned(name: str) -> str:
    name = re.sub(r"^\W*(?:\(?[a-z0-9ivx]{1,3}\)\s*)", "", name.strip())
    return re.sub(
        r"^(?:(?:the|their|its|perceived|for|on|in|how|level of|degree of|overall)\s+)+", "", name, flags=re.IGNORECASE
    ).strip(" ,:-“”\"'")


def _is_dimension(name: str) -> bool:
    return bool(name) and len(name.split()) <= _LONGEST_NAME and len(name) > 2 and not _NO_DIMENSION.search(name)  # noqa: PLR2004 - two letters


def _is_statement(words: str) -> bool:
    return len(words.split()) > 3  # noqa: PLR2004 - fewer are the words of a scale


def _short(text: str) -> str:
    words = re.sub(r"[?.]$", "", text).split()
    return " ".join(words[:6]).strip(" ,")


def _listed(text: str) -> list[str]:
    parts = re.split(r"\s*[,;]\s*(?:and|or)?\s*|\s+(?:and|or|as well as)\s+", text.strip())
    return [part.strip(" .") for part in parts if part.strip(" .")]


def _asks_choice(sentence: str) -> bool:
    return bool(
        re.search(
            r"\bforced[- ]choice|\bpreferred\b|\bwhich (?:one|of|response|reply|answer)|\bpairwise\b",
            sentence,
            re.IGNORECASE,
        )
    )


_CHOSEN = re.compile(
    r"\b(?:cho(?:se|ose)|select(?:ed)?|pick(?:ed)?|indicate[d]?)\b[^.]*\b(?:better|prefer\w*|more \w+|best)\b|\bforced[- ]choice\b"
    r"|\bpairwise (?:comparison|preference)s?\b|\bwhich (?:of the (?:two )?)?(?:response|reply|answer|one)s?[^.]*\b(?:better|prefer\w*|more \w+)\b",
    re.IGNORECASE,
)
_TIES = re.compile(r"\bties?\b|\babout the same\b|\bno preference\b|\bequally\b|\bboth (?:are )?equal", re.IGNORECASE)
_NO_TIES = re.compile(
    r"\bwithout (?:a )?ties?\b|\bno ties\b|\bforced\b|\bnot allow(?:ed)? (?:for )?ties\b|\bties were not\b",
    re.IGNORECASE,
)


def _choices(sentence: str) -> Iterator[Guess]:
    if _CHOSEN.search(sentence):
        text = next((one for one in _QUOTED.findall(sentence) if one.endswith("?")), "")
        tie = "yes" if _TIES.search(sentence) and not _NO_TIES.search(sentence) else "no"
        yield Guess("choice", sentence, {"text": text, "tie": tie})


def _published(sentence: str) -> Iterator[Guess]:
    for scale in PUBLISHED:
        name = scale.name.partition(" (")[0].partition(":")[0]
        if re.search(rf"\b{re.escape(name)}\b", sentence, re.IGNORECASE) or re.search(
            rf"\b{scale.short.upper()}\b", sentence
        ):
            yield Guess("published", sentence, {"scale": scale.short, "words": ""})


def composites_in(sentences: Sequence[str], guesses: Sequence[Guess]) -> list[Guess]:
    pattern = re.compile(
        r"\b(?:averag\w+|mean of|summ?ed|combined|composite|index)\b[^.]*?\b(?:items?|ratings|dimensions|questions|scores?|statements)\b",
        re.IGNORECASE,
    )
    rated = [guess.values["label"] for guess in guesses if guess.kind in {"rating", "slider"}]
    if len(rated) < 2:  # noqa: PLR2004 - a score of one question is the question
        return []
    for sentence in sentences:
        if pattern.search(sentence) and re.search(
            r"\b(?:into|composite|index|overall|single|total|combined)\b", sentence, re.IGNORECASE
        ):
            named = re.search(
                r"\b(?:into|composite|index|measure)\s+(?:an?\s+|one\s+|of\s+)*(?:overall\s+|single\s+)?([a-z]+(?: [a-z]+)?)\s+(?:composite|score|index)",
                sentence,
                re.IGNORECASE,
            )
            label = named[1].capitalize() if named else "Overall score"
            return [Guess("composite", sentence, {"label": label, "questions": "\n".join(dict.fromkeys(rated))})]
    return []
