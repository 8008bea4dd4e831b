"""The text of a Methods section: whether it can be read, its sentences, and words that several rules look for."""

import re

from app.base.words import counted

MAX_CHARACTERS = 60_000
_PER_PAGE = 3_000
_LEAST_WORDS = 12
_LONGEST = 1_500
NUMBERS = dict(
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
N = rf"(\d{{1,3}}|{'|'.join(NUMBERS)})"
RATERS = r"(?:raters?|annotators?|evaluators?|judges?|assessors?|coders?|participants?|respondents?|experts?|workers?|crowd\s?workers?|clinicians?|professionals?|psychologists?|therapists?|physicians?|reviewers?|readers?|people|persons?|students?|users?)"
THINGS = r"(?:responses?|repl(?:y|ies)|answers?|messages?|dialogues?|conversations?|texts?|posts?|pairs?|items?|outputs?|utterances?|turns?|transcripts?|vignettes?|comparisons?)"
RATED = r"(?:rated|evaluated|judged|annotated|scored|assessed|reviewed|coded|compared)"
_ABBREVIATIONS = re.compile(r"\b(e\.g|i\.e|et al|vs|cf|approx|Fig|Dr|St|No|Prof|resp|incl|ca)\.", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”’)]?\s+(?=[A-Z“\"(0-9])|\n{2,}|\n(?=\s*(?:[-•*]|\d+[.)])\s)")


class MethodsError(ValueError):
    """The text cannot be read as methods of such a study; the message says why."""


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
    rated = re.search(rf"\b{RATED}\b|\brat(?:e|ing)s?\b|\blikert\b|\bprefer|\bchose\b|\bannotat", text, re.IGNORECASE)
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


def number_of(words: str) -> int:
    """A number in digits or words; 0 for anything else."""
    low = words.lower()
    return int(low) if low.isdecimal() and low.isascii() else 1 if low in {"a", "an"} else NUMBERS.get(low, 0)
