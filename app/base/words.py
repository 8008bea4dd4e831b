"""Lists of words, and counts with their noun, in a sentence."""

import re
from collections.abc import Iterable
from typing import Any
from unicodedata import bidirectional

from pydantic_core import ErrorDetails

from app.base.numbers import whole


def and_list(words: Iterable[object], most: int | None = None) -> str:
    """Join words with "and"; all of them unless `most` is given.

    >>> and_list([]), and_list(["a"]), and_list(["a", "b", "c"]), and_list("abcde", most=3)
    ('', 'a', 'a, b and c', 'a, b, c and 2 more')
    """
    return _joined(words, most, " and ")


def or_list(words: Iterable[object], most: int = 12) -> str:
    """Join words with "or", to say what is allowed.

    >>> or_list([]), or_list(["a", "b", "c"]), or_list("abcde", most=3)
    ('none', 'a, b or c', 'a, b, c or 2 more')
    """
    return _joined(words, most, " or ") or "none"


def counted(n: int, word: str, several: str | None = None) -> str:
    """A number and its noun, in the plural if needed: with an s, or the word for several.

    >>> counted(1, "rater"), counted(1200, "seat"), counted(2, "study", "studies")
    ('1 rater', '1,200 seats', '2 studies')
    """
    return f"{whole(n)} {word if n == 1 else several or word + 's'}"


def typed(value: str) -> str:
    r"""What somebody typed into a field, without space around it.

    Browsers send two characters for the end of a line, of which one stays; a database cannot hold NUL, which goes.

    >>> typed(" One\r\ntwo\0 ")
    'One\ntwo'
    """
    return value.replace("\0", "").replace("\r\n", "\n").strip()


_TO_NINETEEN = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def spelled_out(n: int) -> str:
    """A number in words below a hundred, otherwise in digits.

    >>> spelled_out(12), spelled_out(36), spelled_out(40), spelled_out(1200)
    ('twelve', 'thirty-six', 'forty', '1,200')
    """
    if n >= 100:  # noqa: PLR2004 - as written in digits from a hundred on
        return whole(n)
    if n < len(_TO_NINETEEN):
        return _TO_NINETEEN[n]
    tens, ones = divmod(n, 10)
    return _TENS[tens - 2] + (f"-{_TO_NINETEEN[ones]}" if ones else "")


def capitalized(words: str) -> str:
    """Words as the beginning of a sentence; the letter of a statistic stays small.

    >>> capitalized("paired t test"), capitalized("t test"), capitalized("")
    ('Paired t test', 't test', '')
    """
    return words if words.startswith(("t ", "p ", "z ")) else words[:1].upper() + words[1:]


def _joined(words: Iterable[object], most: int | None, last: str) -> str:
    all_words = [str(word) for word in words]
    some = all_words if most is None or len(all_words) <= most else [*all_words[:most], f"{len(all_words) - most} more"]
    return last.join(filter(None, [", ".join(some[:-1]), *some[-1:]]))


# Written in capitals where they stand alone: in `gpt-4`, not in `chatgpt`.
ACRONYMS = re.compile(r"(?<![A-Za-z])(gpt|llm|ai)(?![A-Za-z])")


def readable(key: str) -> str:
    """A label made from a key.

    >>> readable("emotional_understanding"), readable("gpt-4"), readable("person")
    ('Emotional understanding', 'GPT-4', 'Person')
    """
    words = ACRONYMS.sub(lambda found: found[0].upper(), key.replace("_", " ").strip())
    return words[:1].upper() + words[1:] or key


# What pydantic found wrong with a value, in words for the person who wrote it.

MAX_FOUND = 100
_TEXT, _WHOLE, _NUMBER, _SWITCH = "text", "a whole number", "a number", "true or false"
_LIST, _SETTINGS = "a list, such as [first, second]", "settings, such as {{name: value}}"
_DAY, _TIME = "a date, such as 2026-11-30", "a date and time, such as 2026-11-30T14:00:00Z"
# By the type of the error. The fields of its context can be named.
_ALLOWED = {
    "missing": "a value; this setting is required",
    "extra_forbidden": "only the names that are documented",
    "none_required": "no value",
    "string_type": _TEXT,
    "string_unicode": _TEXT,
    "string_sub_type": _TEXT,
    "string_pattern_mismatch": "text in the documented form",
    "string_too_short": "text with at least {min_length:,} characters",
    "string_too_long": "text of at most {max_length:,} characters",
    "bool_type": _SWITCH,
    "bool_parsing": _SWITCH,
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "int_parsing_size": "a smaller number",
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": "a finite number",
    "greater_than": "a number greater than {gt}",
    "greater_than_equal": "a number of at least {ge}",
    "less_than": "a number less than {lt}",
    "less_than_equal": "a number of at most {le}",
    "multiple_of": "a multiple of {multiple_of}",
    "list_type": _LIST,
    "tuple_type": _LIST,
    "set_type": _LIST,
    "frozen_set_type": _LIST,
    "iterable_type": _LIST,
    "too_short": "at least {min_length:,} entries",
    "too_long": "at most {max_length:,} entries",
    "dict_type": _SETTINGS,
    "mapping_type": _SETTINGS,
    "model_type": _SETTINGS,
    "model_attributes_type": _SETTINGS,
    "dataclass_type": _SETTINGS,
    "date_type": _DAY,
    "date_parsing": _DAY,
    "date_from_datetime_parsing": _DAY,
    "datetime_type": _TIME,
    "datetime_parsing": _TIME,
    "datetime_from_date_parsing": _TIME,
    "timezone_aware": "a time with its time zone, such as 2026-11-30T14:00:00Z",
    "url_type": "an address, such as https://example.org",
    "url_parsing": "an address, such as https://example.org",
    "url_scheme": "an address that starts with {expected_schemes}",
    "json_invalid": "JSON",
    "json_type": "JSON",
    "path_type": "the path of a file",
    "bytes_type": "a file",
}
_ONE = {
    "string_too_short": "text with at least 1 character",
    "string_too_long": "text of at most 1 character",
    "too_short": "at least 1 entry",
    "too_long": "at most 1 entry",
}


def allowed_in_words(error: ErrorDetails) -> str:
    """What the value may be; the rule's own words if a rule of ours was broken."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in {"value_error", "assertion_error"}:
        return str(context.get("error", "")) or "another value"
    if kind in {"literal_error", "enum"}:
        return str(context["expected"]).replace("'", "")
    if kind in _ONE and 1 in (context.get("min_length"), context.get("max_length")):
        return _ONE[kind]
    words = _ALLOWED.get(kind)
    return "a value of another kind" if words is None else words.format_map({k: _plain(v) for k, v in context.items()})


def _plain(limit: Any) -> Any:  # noqa: ANN401 - a number, a date or text
    return int(limit) if isinstance(limit, float) and limit.is_integer() else limit


def found_in_words(value: Any) -> str:  # noqa: ANN401 - any value that a person or program may have written
    """The value as its author would recognize it: the names of its settings, or the start of its text.

    >>> found_in_words({"a": 1, "b": 2}), found_in_words([]), found_in_words(""), found_in_words(None)
    ('a and b', 'an empty list', 'nothing', 'nothing')
    """
    match value:
        case None | "":
            return "nothing"
        case dict():
            return and_list(value, 10) or "nothing"
        case []:
            return "an empty list"
        case list() | tuple():
            return ", ".join(found_in_words(one) for one in value[:10])
        case bool():
            return "true" if value else "false"
    text = str(value)
    return text if len(text) <= MAX_FOUND else f"{text[:MAX_FOUND]}…"


def problem_in_words(error: ErrorDetails) -> str:
    """One sentence about a value in a request.

    >>> problem_in_words({"type": "int_parsing", "loc": ("body", "n"), "msg": "", "input": "many"})
    'Found "many"; allowed: a whole number.'
    """
    if error["type"] == "missing":
        return "This field is required."
    if error["type"] == "extra_forbidden":
        return "There is no such field."
    if error["type"] == "json_invalid":
        return "This is not JSON."
    if isinstance(error["input"], bytes):  # FastAPI reads a body as JSON only if the request says that it is
        return "Send a JSON object, with the header Content-Type: application/json."
    return f'Found "{found_in_words(error["input"])}"; allowed: {allowed_in_words(error)}.'


# Numbers as files and pages write them.


def number(text: object) -> float | None:
    """Parse a finite number; None if the text is not one.

    >>> number(" 0.5 "), number("-5"), number("five"), number(True), number("nan"), number("1_0")
    (0.5, -5.0, None, None, None, None)
    """
    if isinstance(text, bool) or "_" in str(text):
        return None
    try:
        value = float(str(text))
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def number_text(value: float) -> str:
    """A number as written by people and in CSV files: 4, not 4.0.

    >>> number_text(4.0), number_text(0.5), number_text(-5.0)
    ('4', '0.5', '-5')
    """
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))


_WORD = re.compile(r"[^\W\d_]{3,}")
_OPEN_INTERVAL = re.compile(r"\nfrom \S+, no upper limit$")
# First characters of numbers, intervals, p-values and dashes.
_NUMERIC = frozenset("0123456789.−–[<")


def is_number(cell: str) -> bool:
    r"""Return whether a cell contains a number or a dash; other cells give the reason in words.

    >>> [is_number(cell) for cell in ("0.50\n0.25 to 0.75", "p = .040", ".009", "the ratings do not vary", "")]
    [True, True, True, False, False]
    >>> is_number("12 of 20"), is_number("4o-mini"), is_number("33\nfrom 7, no upper limit")
    (True, False, True)
    """
    if _WORD.search(_OPEN_INTERVAL.sub("", cell)):
        return False
    return cell[:1] in _NUMERIC or (cell[:2] == "p " and is_number(cell[2:].removeprefix("= "))) if cell else False


# Unicode's marks around a text of its own direction, and the mark of a line from left to right.
ISOLATE, END_OF_ISOLATE, LEFT_TO_RIGHT = "\u2068", "\u2069", "\u200e"


def isolated(text: str) -> str:
    """A label within a sentence from left to right: between marks if it has letters from right to left.

    Otherwise the numbers after it would stand before it (Unicode Standard Annex 9).

    >>> isolated("Empathy"), len(isolated("אמפתיה")) - len("אמפתיה")
    ('Empathy', 2)
    """
    is_turned = any(bidirectional(letter) in {"R", "AL"} for letter in text)
    return f"{ISOLATE}{text}{END_OF_ISOLATE}" if is_turned else text


def left_to_right(sentence: str) -> str:
    """A sentence with `isolated` labels, which reads from left to right also where its first letter is of a label."""
    return f"{LEFT_TO_RIGHT}{sentence}" if ISOLATE in sentence else sentence
