"""Rules that find sources, questions, scales, contrasts and numbers in the English of Methods sections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.base.words import counted
from app.studies.editor.published_scales import PUBLISHED
from app.studies.methods.guesses import Guess, in_order

MAX_CHARACTERS = 60_000
_PER_PAGE = 3_000
_LEAST_WORDS = 12
_LONGEST = 1_500
_N_NEAR = 2
_NUMBERS = dict(
    zip(
        [
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "fifteen",
            "twenty",
            "thirty",
        ],
        (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 30),
        strict=True,
    )
)
_N = rf"(\d{{1,3}}|{'|'.join(_NUMBERS)})"
_RATERS = r"(?:raters?|annotators?|evaluators?|judges?|assessors?|coders?|participants?|respondents?|experts?|workers?|crowd\s?workers?|clinicians?|professionals?|psychologists?|therapists?|physicians?|reviewers?|readers?|people|persons?|students?|users?)"
_THINGS = r"(?:responses?|repl(?:y|ies)|answers?|messages?|dialogues?|conversations?|texts?|posts?|pairs?|items?|outputs?|utterances?|turns?|transcripts?|vignettes?|comparisons?)"
_RATED = r"(?:rated|evaluated|judged|annotated|scored|assessed|reviewed|coded|compared)"
_ABBREVIATIONS = re.compile(r"\b(e\.g|i\.e|et al|vs|cf|approx|Fig|Dr|St|No|Prof|resp|incl|ca)\.", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”’)]?\s+(?=[A-Z“\"(0-9])|\n{2,}|\n(?=\s*(?:[-•*]|\d+[.)])\s)")


class MethodsError(ValueError):
    """The text cannot be read as methods of such a study; the message says why."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found: guesses to confirm, what needs no setting, each with its sentence, and what was not found."""

    guesses: tuple[Guess, ...]
    said: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, each on one line.

    >>> sentences_of("Raters (e.g. Smith et al. 2020) saw both. Each rated 4.")
    ['Raters (e.g. Smith et al. 2020) saw both.', 'Each rated 4.']
    """
    kept = _ABBREVIATIONS.sub(lambda found: f"{found[1]}\0", text)
    # A sentence of more than this is a table, or has lost its punctuation.
    parts = (" ".join(part.split()).replace("\0", ".") for part in _SENTENCE_END.split(kept))
    return [part.lstrip("-•* ") for part in parts if 0 < len(part) <= _LONGEST]


def check_text(text: str) -> None:
    """Reject what cannot be the methods of a study of rated texts.

    Raises:
        MethodsError: it is empty, too short or too long, in another language, or about something else.
    """
    words = re.findall(r"[^\W\d_]+", text.casefold())
    if len(text) > MAX_CHARACTERS:
        pages = counted(round(len(text) / _PER_PAGE), "page")
        raise MethodsError(
            f"This text has about {pages}. Paste the Methods section or the preregistration alone: at most "
            f"{MAX_CHARACTERS:,} characters, about {MAX_CHARACTERS // _PER_PAGE} pages."
        )
    if not words:
        raise MethodsError("There is no text yet. Paste a Methods section or a preregistration.")
    if len(words) < _LEAST_WORDS:
        raise MethodsError("This text is too short to read a study from. Paste the whole Methods section.")
    counts = {name: sum(word in known for word in words) / len(words) for name, known in _COMMON.items()}
    likely = max(counts, key=lambda name: counts[name])
    if likely != "English" and counts[likely] > counts["English"]:
        raise MethodsError(f"This text is in {likely}. Methods are read in English only: paste a translation.")
    if counts["English"] < _LEAST_ENGLISH:
        raise MethodsError("This text does not look like English. Methods are read in English only.")
    rated = re.search(rf"\b{_RATED}\b|\brat(?:e|ing)s?\b|\blikert\b|\bprefer|\bchose\b|\bannotat", text, re.IGNORECASE)
    if not rated or not re.search(_OF_TEXTS, text, re.IGNORECASE):
        raise MethodsError(
            "This text does not describe people or models who rate responses or other texts. Nothing was guessed."
        )


_COMMON = {
    "English": frozenset(
        [
            "the",
            "of",
            "and",
            "to",
            "in",
            "was",
            "were",
            "we",
            "with",
            "that",
            "for",
            "on",
            "each",
            "by",
            "from",
            "is",
            "as",
            "an",
            "or",
        ]
    ),
    "German": frozenset(
        [
            "der",
            "die",
            "das",
            "und",
            "wurde",
            "wurden",
            "wir",
            "mit",
            "von",
            "zu",
            "den",
            "dem",
            "ein",
            "eine",
            "auf",
            "für",
            "jede",
            "nicht",
        ]
    ),
    "French": frozenset(
        [
            "le",
            "la",
            "les",
            "des",
            "et",
            "une",
            "dans",
            "nous",
            "avec",
            "pour",
            "sur",
            "par",
            "est",
            "ont",
            "été",
            "du",
            "chaque",
            "au",
        ]
    ),
    "Spanish": frozenset(
        [
            "el",
            "los",
            "las",
            "una",
            "en",
            "con",
            "para",
            "por",
            "se",
            "que",
            "fue",
            "fueron",
            "del",
            "cada",
            "su",
            "al",
            "como",
            "y",
        ]
    ),
}
_LEAST_ENGLISH = 0.06
_OF_TEXTS = (
    r"\b(?:repl(?:y|ies)|empath\w*|chatbots?|dialogues?|conversations?|utterances?|counsel\w+|posts?|messages?"
    r"|GPT\S*|ChatGPT|language models?|LLMs?|(?:written|generated|chatbot|model|AI|human|physician)\W+responses?)\b"
)


def read_methods(text: str) -> Reading:
    """What the rules find in a text.

    Raises:
        MethodsError: see `check_text`.
    """
    check_text(text)
    sentences = sentences_of(text)
    guesses = [*_questions(sentences)]
    for sentence in sentences:
        guesses += [*_sources(sentence), *_counts(sentence), *_design(sentence), *_prose(sentence)]
    guesses += _composites(sentences, guesses)
    guesses = in_order(guesses)
    guesses += _contrasts(sentences, guesses)
    found = in_order(guesses)
    return Reading(tuple(found), tuple(_needs_nothing(sentences)), tuple(missing_in(found)))


def missing_in(guesses: Sequence[Guess]) -> list[str]:
    """What a study needs and none of the guesses says."""
    there = {guess.kind for guess in guesses}
    needed = (
        ({"rating", "slider", "choice", "published"}, "what raters are asked"),
        ({"source"}, "who wrote the responses"),
        ({"layout"}, "whether a page shows one response or two"),
        ({"raters_per_trial"}, "how many raters rate each response"),
        ({"contrast"}, "the comparison that the study is about"),
        ({"exclusion"}, "rules for leaving out raters or ratings"),
        ({"sample_size"}, "the reason for the sample size"),
    )
    return [words for kinds, words in needed if not kinds & there]


# Sources.

_MODELS = re.compile(
    r"\b(?:Chat)?GPT[- ]?\d?(?:\.\d)?o?(?:[- ](?:turbo|mini|Turbo))?(?![\w])|\bChatGPT(?:[- ][\d.]+)?|\bClaude(?:[- ][\d.]+)?(?: (?:Opus|Sonnet|Haiku))?"
    r"|\bL[Ll]a[Mm][Aa][- ]?\d?(?:\.\d)?(?:-\d+B)?|\bGemini(?: (?:Pro|Ultra|[\d.]+))*|\bMi[sx]tral(?:-\w+)?|\bPaLM ?2?|\bDeepSeek(?:-\w+)?"
    r"|\bQwen[\d.]*|\bBlenderBot(?: \d)?|\bDialoGPT|\bReplika|\bWoebot|\bHAILEY|\bBard\b|\bBing Chat\b|\bCopilot\b|\bAlpaca\b|\bVicuna\b|\bMed-PaLM\b"
)
_WRITERS = r"physician|doctor|counsell?or|therapist|clinician|nurse|psychologist|peer supporter|crowd ?worker|expert|human|professional|volunteer|person|people|layperson|listener"
_HUMAN = re.compile(
    rf"\b({_WRITERS})s?(?:['’]s?)?[- ](?:written |authored |generated |composed )?(?:responses?|repl(?:y|ies)|answers?|messages?|baselines?|texts?)\b"
    rf"|\b(?:responses?|repl(?:y|ies)|answers?|messages?)\b(?: (?:that were|were|had been))?(?: (?:written|provided|given|composed|posted|authored))? (?:by|from|of)"
    rf" (?:\w+[- ]){{0,3}}?({_WRITERS})s?\b",
    re.IGNORECASE,
)
_VERSUS = re.compile(
    rf"\b(?:with|to|and|versus|vs\.?|against|or|than)\s+(?:the\s+|a\s+|an\s+)?({_WRITERS})s?\b", re.IGNORECASE
)


# Other names of systems: with a capital or a digit inside, after “responses from”.
_SYSTEM = re.compile(
    r"\b(?:[Rr]esponses?|[Rr]epl(?:y|ies)|[Oo]utputs?)\b[^.,;]{0,20}?\b(?:from|by)\s+([A-Z][A-Za-z]*[A-Z0-9][\w.-]*\w)"
)


def _models_in(sentence: str) -> list[str]:
    known = [found.strip(" -") for found in _MODELS.findall(sentence)]
    others = [name for name in _SYSTEM.findall(sentence) if not any(name in one or one in name for one in known)]
    return list(dict.fromkeys([*others, *known]))


def _humans_in(sentence: str) -> list[str]:
    found = [one[0] or one[1] for one in _HUMAN.findall(sentence)]
    if not found and _models_in(sentence) and re.search(r"compar|differ|versus|\bvs\b|than", sentence, re.IGNORECASE):
        found = _VERSUS.findall(sentence)
    names = (name.lower().replace("people", "human").replace("person", "human") for name in found)
    return list(dict.fromkeys(name.capitalize() for name in names))


def _sources(sentence: str) -> Iterator[Guess]:
    is_judge = re.search(r"\b(?:as (?:a |an )?(?:judge|rater|annotator)|LLM judge)", sentence, re.IGNORECASE)
    for name in [] if is_judge else _models_in(sentence):
        yield Guess("source", sentence, {"name": name, "kind": "model"})
    for name in _humans_in(sentence):
        yield Guess("source", sentence, {"name": name, "kind": "human"})


# Questions and their scales.

_POINTS = re.compile(rf"\b{_N}[- ]point\b", re.IGNORECASE)
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
    n = _number(found[1]) if found else 0
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
        rf"\b(?:rated|evaluated|judged|scored|assessed|annotated|rate)\s+(?:each|every|all|the|both|these|{_N})\s+(?:\w+\s+){{0,3}}?{_THINGS}\s+(?:for|on|in terms of|regarding|with respect to|along|according to)\s+(?:{_N}\s+)?(?:(?:dimensions?|aspects?|criteria|items?|qualities)\s*[:,(]?\s*)?(?:(?:their|its|the|perceived|how)\s+)*{_WHAT}{_STOP}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:dimensions|aspects|criteria|qualities|attributes)\b\s*(?:of \w+\s*)?(?:were|are|:|,|\(|namely|including|such as)+\s*:?\s*{_WHAT}{_STOP}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:rated|judged|scored|assessed|evaluated|rate)\s+(?:the\s+|their\s+|how\s+)?(?:perceived\s+|overall\s+)?{_WHAT}\s+(?:of\s+(?:each|every|the|both|all)\s+(?:\w+\s+){{0,3}}?{_THINGS}\s*)?(?:on|using|from|with)\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:^|[,;]\s*)(?:the\s+)?(?:perceived\s+)?{_WHAT}\s+(?:of\s+(?:each|every|the)\s+(?:\w+\s+){{0,2}}?{_THINGS}\s+)?(?:was|were)\s+(?:each\s+|then\s+|both\s+)?(?:rated|measured|assessed|judged|scored|evaluated)\s+(?:on|using|with|from)\b",
        re.IGNORECASE,
    ),
)
_QUOTED = re.compile(r"[“\"]([^”\"]{6,240}?[?.]?)[”\"]")
_NO_DIMENSION = re.compile(
    rf"\b(?:agreement|reliability|consistency|kappa|age|gender|power|yields?|scale|likert|point|which|that|were|was|who|participants?|{_THINGS}|{_RATERS}|study|data|we|they|it|system|models?)\b|\d|^(?:both|each|all|them|overall|then|independently|separately)$",
    re.IGNORECASE,
)
_AGREEING = re.compile(r"\bagree", re.IGNORECASE)
_LONGEST_NAME = 5


def _questions(sentences: Sequence[str]) -> Iterator[Guess]:
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
        quoted = [
            one
            for one in _QUOTED.findall(sentence)
            if one.endswith("?") or (_is_statement(one) and _AGREEING.search(sentence))
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
            groups = [one for one in found.groups() if one and _number(one) == 0]
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


def _composites(sentences: Sequence[str], guesses: Sequence[Guess]) -> list[Guess]:
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


# Numbers, layout, and what a preregistration says.

_BY_RATERS = re.compile(
    rf"\b(?:each|every|all)\s+(?:[\w-]+\s+){{0,4}}?{_THINGS}\s+(?:was|were|is|are|will be)\s+(?:then\s+)?(?:independently\s+)?{_RATED}\s+(?:independently\s+)?by\s+(?:at least\s+|a total of\s+)?{_N}\s+(?:[\w-]+\s+){{0,5}}?{_RATERS}"
    rf"|\b{_N}\s+(?:[\w-]+\s+){{0,4}}?{_RATERS}\s+(?:independently\s+|each\s+)?{_RATED}\s+(?:each|every|all|pairs)\b"
    rf"|\b{_N}\s+(?:independent\s+)?(?:ratings|judgments|annotations|{_RATERS})\s+(?:per|for each)\s+{_THINGS}",
    re.IGNORECASE,
)
_PER_RATER = re.compile(
    rf"\b(?:each|every)\s+(?:[\w-]+\s+)?{_RATERS}\s+(?:was shown|saw|read|{_RATED}|received|completed|will (?:see|rate|read))\s+(?:and {_RATED}\s+)?(?:a total of\s+|up to\s+)?{_N}\s+(?:[\w-]+\s+){{0,3}}?{_THINGS}"
    rf"|\b{_RATERS}\s+(?:each\s+)?{_RATED}\s+{_N}\s+(?:[\w-]+\s+){{0,3}}?{_THINGS}\s+each\b",
    re.IGNORECASE,
)
_CHECKS = re.compile(rf"\b({_N[1:-1]}|an?)\s+(?:[\w-]+\s+)?attention[- ]checks?\b", re.IGNORECASE)


def _counts(sentence: str) -> Iterator[Guess]:
    for kind, pattern in (("raters_per_trial", _BY_RATERS), ("trials_per_rater", _PER_RATER), ("attention", _CHECKS)):
        found = pattern.search(sentence)
        n = next((_number(one) for one in found.groups() if one), 0) if found else 0
        if n:
            yield Guess(kind, sentence, {"n": str(n)})


def _number(words: str) -> int:
    """A number in digits or words; 0 for anything else."""
    low = words.lower()
    return int(low) if low.isdecimal() and low.isascii() else 1 if low in {"a", "an"} else _NUMBERS.get(low, 0)


_PAIRS = re.compile(
    r"\bside[- ]by[- ]side\b|\bpair(?:s|ed)? of responses\b|\bboth responses\b|\bpairwise\b|\btwo (?:\w+ )?responses\b|\b(?:two|both) repl(?:ies|y)\b",
    re.IGNORECASE,
)
_SINGLE = re.compile(
    r"\b(?:one|a single) (?:\w+ )?(?:response|reply|answer|message)s? (?:at a time|per page|each)|\bresponses? (?:was|were) (?:shown|presented) (?:one at a time|individually|in isolation)|\bone at a time\b",
    re.IGNORECASE,
)
_SET = re.compile(r"\brank(?:ed|ing)?\b[^.]*\b(?:responses|replies|answers)\b", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:whole|entire|full|complete) (?:dialogue|conversation|transcript)s?\b", re.IGNORECASE)


def _design(sentence: str) -> Iterator[Guess]:
    for trials, pattern in (("pairs", _PAIRS), ("single", _SINGLE), ("set", _SET), ("dialogue", _WHOLE)):
        if pattern.search(sentence):
            yield Guess("layout", sentence, {"trials": trials})
            return


_PROSE = (
    (
        "hypothesis",
        re.compile(
            r"\b(?:we|I)\s+(?:\w+\s+)?(?:hypothesi[sz]ed?|predict(?:ed)?|expect(?:ed)?)\b|\bH\d+[a-z]?\s*[:.)]|\b(?:our|the) (?:\w+ )?hypothes[ie]s (?:is|was|were|are)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "exclusion",
        re.compile(
            rf"\b(?:exclud\w+|remov(?:ed?|ing)|discard\w*|dropp?\w*|omit\w*)\b[^.]*\b(?:{_RATERS}|ratings?|data|answers?)\b|\b(?:{_RATERS}|ratings?|data)\b[^.]*\b(?:exclud\w+|removed|discarded|dropped|omitted)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "sample_size",
        re.compile(
            r"\bpower analys[ie]s\b|\bG\*Power\b|\bsample size\b|\bsmallest effect\b|\bpower of\b", re.IGNORECASE
        ),
    ),
    (
        "stopping_rule",
        re.compile(
            r"\bstopping rule\b|\bdata collection (?:will |was |is )?(?:stop|end)\w*|\bstop(?:ped)? (?:data collection|recruit\w+|collecting)\b",
            re.IGNORECASE,
        ),
    ),
)


def _prose(sentence: str) -> Iterator[Guess]:
    for kind, pattern in _PROSE:
        if pattern.search(sentence):
            yield Guess(kind, sentence, {"text": sentence})


# Contrasts.

_COMPARES = re.compile(r"\bcompar\w+|\bdiffer(?:ed|ence|ences)?\b|\bversus\b|\bvs\b\.?|\bthan\b", re.IGNORECASE)
_TESTS = (
    ("equivalence", r"\bequivalence (?:test|margin)|\bTOST\b"),
    ("non_inferiority", r"\bnon-?inferior"),
    ("t_paired", r"\bpaired(?:[- ]samples?)? t[- ]test|\bdependent t[- ]test"),
    (
        "t_unpaired",
        r"\bunpaired(?: \w+)? t[- ]test|\bindependent[- ]samples? t[- ]test|\bWelch|\btwo-sample t[- ]test|\bunpaired 2-tailed t",
    ),
    ("wilcoxon", r"\bWilcoxon signed"),
    ("mann_whitney", r"\bMann[-–]Whitney|\brank[- ]sum"),
    ("odds_ratio_clmm", r"\bcumulative link|\bordinal (?:mixed|logistic|regression)"),
    ("mean_difference_lmm", r"\b(?:linear )?mixed[- ](?:effects?|models?)|\bmultilevel model|\bhierarchical linear"),
    ("chi_square", r"\bchi[- ]squared?\b|χ2|χ²"),
)


def _contrasts(sentences: Sequence[str], guesses: Sequence[Guess]) -> list[Guess]:
    """Each model that a sentence compares with people, or else with another model, on the question that it names."""
    sources = {guess.values["name"]: guess.values["kind"] for guess in guesses if guess.kind == "source"}
    rated = [guess.values["label"] for guess in guesses if guess.kind in {"composite", "rating", "slider"}]
    is_choice = any(guess.kind == "choice" for guess in guesses)
    found = []
    is_hypothesis = _PROSE[0][1].search
    for sentence in sorted(sentences, key=lambda one: bool(is_hypothesis(one))):
        models = [name for name in _models_in(sentence) if sources.get(name) == "model"]
        people = [name for name in _humans_in(sentence) if name in sources]
        if not _COMPARES.search(sentence) or not models or len(models) + len(people) < 2:  # noqa: PLR2004 - two sources
            continue
        reference = people[0] if people else models[-1]
        test = next((name for name, words in _TESTS if re.search(words, sentence, re.IGNORECASE)), "")
        named = [one for one in rated if re.search(rf"\b{re.escape(one.split()[0])}", sentence, re.IGNORECASE)]
        asked = named[0] if named else rated[0] if rated else "Choice" if is_choice else ""
        test = test if asked != "Choice" else ""
        parts = {"question": asked, "reference": reference, "test": test}
        found += [Guess("contrast", sentence, {"source": name, **parts}) for name in models if name != reference]
    return found


# What Attune does without a setting.

_DONE = (
    (r"Krippendorff", "Krippendorff's alpha"),
    (r"Fleiss", "Fleiss' kappa"),
    (r"\bCohen['’]s (?:weighted )?kappa|\bweighted kappa", "Cohen's kappa"),
    (r"\bGwet", "Gwet's AC"),
    (r"\bICC\b|intraclass correlation", "The intraclass correlation"),
    (r"\bCronbach", "Cronbach's alpha"),
    (r"\bBradley[-–]Terry", "The Bradley-Terry model"),
    (r"\bHolm\b|\bBonferroni|\bBenjamini", "Adjustment for several tests"),
)
_BLIND = re.compile(r"\bblind\w*|\bnot (?:told|informed|aware)\b|\bunaware\b", re.IGNORECASE)
_SHUFFLED = re.compile(
    r"\brandom(?:ly|ized|ised)?\b[^.]*\b(?:order|side|position|sequence)\b|\border\b[^.]*\brandom", re.IGNORECASE
)


def _needs_nothing(sentences: Sequence[str]) -> Iterator[tuple[str, str]]:
    for pattern, name in _DONE:
        sentence = next((one for one in sentences if re.search(pattern, one)), None)
        if sentence:
            is_adjusted = name.startswith("Adjustment")
            yield (
                (f"{name}: Holm's method for primary contrasts" if is_adjusted else f"{name} is in every report"),
                sentence,
            )
    if sentence := next(filter(_BLIND.search, sentences), None):
        yield "Raters are not told who wrote a response unless you choose so", sentence
    if sentence := next(filter(_SHUFFLED.search, sentences), None):
        yield "The order of items and responses is random for each rater", sentence
