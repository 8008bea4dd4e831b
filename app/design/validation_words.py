"""What pydantic found wrong with a value, in words for the person who wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.design.word_lists import and_list

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

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
    return f'Found "{found_in_words(error["input"])}"; allowed: {allowed_in_words(error)}.'
