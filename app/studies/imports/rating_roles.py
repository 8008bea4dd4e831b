"""Ratings already collected: which columns of a spreadsheet hold them, who gave them and what was asked."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from app.base.files.table import Table
from app.protocol.allocation.human_sample import OF_SAMPLE
from app.studies.imports.column_roles import WHO, ColumnGuess, Role, is_id_name
from app.studies.imports.missing_codes import without_codes
from app.studies.imports.name_matching import Names, words_of
from app.studies.imports.rating_scales import is_answers
from app.studies.imports.usual_scales import points_of_values

Columns = list[dict[str, Any]]
_ASKED = re.compile(r"^(question|dimension|criterion|aspect|measure|statement|frage|kriterium|aspekt)$", re.IGNORECASE)
# One rater in the words of a column name: “Coder 2”, “Rater Anna”, “R1”.
_ONE = re.compile(rf"\b(?:(?i:{WHO}|eval)\s+(?:\d+|[A-Z]\w*|[a-z]\b)|(?:(?i:{WHO}|eval)|R)\d+\b|[Rr] \d+\b)")
_GENERIC = re.compile(r"^(rating|ratings|score|scores|value|likert|answer|bewertung|urteil)$", re.IGNORECASE)
# Words for a dimension or a quality of texts: a column that has one is not named after a rater.
_NO_NAME = re.compile(
    r"^(?:empath|warm|car(?:e|ing)|qual|underst|help|natur|fluen|clea|clar|relev|accur|saf|harm|trust|compas|respon|"
    r"react|explor|overall|sincer|auth|cogn|affect|emot|agree|valen|arous|inten|good|bad|prefer|urgen|hard|eas[ey]|"
    r"wärme|verst|hilf|takt)"
    r"|(?:ness|tion|sion|ful|ive|ity|cy|gth|dth|ism|ment|ure|able|ible|ität|heit|keit|ung)$",
    re.IGNORECASE,
)
# What describes texts, and is judged by nobody.
_OF_TEXTS = re.compile(
    r"^(?:counts?|words?|chars?|tokens?|turns?|year|age|grade|class|cluster|group|block|topic|level|rank|depth|n|length|"
    r"score|value|likes?|votes?|upvotes?|label)$",
    re.IGNORECASE,
)
# A rater's name in a header is a word or two, or letters and a number.
_NAME = re.compile(r"^[^\W\d_][\w.'-]{0,19}( [^\W_]\w{0,19})?$")
_ABOUT_RATING = re.compile(
    r"time|second|duration|date|order|trial|position|\bms\b|comment|reason|why|rationale|note", re.IGNORECASE
)


def with_ratings(table: Table, guesses: Sequence[ColumnGuess]) -> list[ColumnGuess]:
    """The columns with the roles of ratings: rows with a column that names the rater, or columns named after raters."""
    raters = next((one for one in guesses if one.role == "rater"), None)
    return _of_rows(table, guesses, raters) if raters else _of_columns(table, guesses)


def _of_rows(table: Table, guesses: Sequence[ColumnGuess], raters: ColumnGuess) -> list[ColumnGuess]:
    """Roles if each row is of one rater: columns that differ between the raters of a text are ratings, or ignored."""
    source = [one.name for one in guesses if one.role == "source"]
    guesses = guesses if source else _with_items(table, guesses)
    first = [next((one.name for one in guesses if one.role == role), None) for role in ("item", "text")]
    texts = [*source, *[name for name in first if name][:1]]
    response = next((one.name for one in guesses if one.role == "response"), None)
    asked = next(
        (one for one in guesses if _ASKED.match(one.name.strip()) and one.role != "text" and one is not raters), None
    )

    def role(one: ColumnGuess) -> Role:
        is_text = one.role in {"item", "text", "source"} or one.name == response
        if one is raters or is_text or one.name in OF_SAMPLE or not _differs(table, one.name, texts):
            return one.role
        if one is asked:
            return "question"
        is_rating = is_answers(table.column(one.name)) and not _ABOUT_RATING.search(one.name)
        return "rating" if is_rating and _differs(table, one.name, [raters.name]) else "ignore"

    return [replace(one, role=role(one)) for one in guesses]


def _with_items(table: Table, guesses: Sequence[ColumnGuess]) -> Sequence[ColumnGuess]:
    """The columns with that of the IDs of items: raters share an ID, and rows with one ID have the same texts."""
    texts = [one.name for one in guesses if one.role in {"text", "response"}]
    found = next(
        (
            one
            for one in guesses
            if one.role == "attribute"
            and is_id_name(one.name)
            and not any(_differs(table, text, [one.name]) for text in texts)
        ),
        None,
    )
    if found is None or any(one.role == "item" for one in guesses):
        return guesses
    return [replace(one, role="item") if one is found else one for one in guesses]


def _of_columns(table: Table, guesses: Sequence[ColumnGuess]) -> list[ColumnGuess]:
    """Two or more columns of numbers on one scale that are named after raters, with or without a question."""
    sources = [one.source for one in guesses if one.role == "response"]
    sources += [cell for one in guesses if one.role == "source" for cell in {*table.stripped(one.name)}]
    on_scale: dict[tuple[int, int], list[str]] = {}
    for one in guesses:
        scale = points_of_values(without_codes(table.column(one.name))) if one.role == "attribute" else None
        if scale is not None:
            on_scale.setdefault(scale, []).append(one.name)
    shared = set()
    for names in on_scale.values():
        alone = [name for name in names if _NAME.match(_bare(name, sources)) and _is_no_word(_bare(name, sources))]
        rest = [name for name in names if name not in alone and not any(map(_OF_TEXTS.match, words_of(name)))]
        raters = {rater for _, rater in parts_of_names(rest, sources, has_raters=False)} if rest else set()
        shared |= {*(alone if len(alone) > 1 else ()), *(rest if len(raters) > 1 and "" not in raters else ())}
    return [replace(one, role="rating") if one.name in shared else one for one in guesses]


def _is_no_word(name: str) -> bool:
    return not any(_NO_NAME.search(word) or _OF_TEXTS.match(word) for word in words_of(name))


def _bare(name: str, sources: Sequence[str]) -> str:
    return " ".join(_without_source(words_of(name), sources))


def _differs(table: Table, name: str, by: Sequence[str]) -> bool:
    """Whether a column has several values for equal values of other columns."""
    if not by:
        return True
    groups = list(zip(*map(table.stripped, by), strict=True))
    return len({*zip(groups, table.stripped(name), strict=True)}) > len({*groups})


def with_rating_parts(columns: Columns, sources: Sequence[str]) -> Columns:
    """The columns of ratings with the rater and the question that their names say, unless the lead has said them.

    An empty rater is named in the row; an empty question is the only one, or is named in the row.
    """
    new = [column for column in columns if column["role"] == "rating" and column.get("rater") is None]
    has_raters = any(column["role"] == "rater" for column in columns)
    parts = parts_of_names([column["name"] for column in new], sources, has_raters=has_raters)
    said = {column["name"]: part for column, part in zip(new, parts, strict=True)}
    return [
        {**column, "question": said[column["name"]][0], "rater": said[column["name"]][1]}
        if column["name"] in said
        else column
        for column in columns
    ]


def parts_of_names(names: Sequence[str], sources: Sequence[str], *, has_raters: bool) -> list[tuple[str, str]]:
    """The question and the rater that each column of ratings is named after; empty if its name says none.

    >>> parts_of_names(["Anna", "Ben", "R1"], [], has_raters=False)
    [('', 'Anna'), ('', 'Ben'), ('', 'R1')]
    >>> parts_of_names(["Empathy Coder 2 (GPT-4)", "Score"], ["GPT-4"], has_raters=False)
    [('Empathy', 'Coder 2'), ('', '')]
    >>> parts_of_names(["Anna warmth", "Ben warmth"], [], has_raters=False)
    [('warmth', 'Anna'), ('warmth', 'Ben')]
    >>> parts_of_names(["Empathy", "Warmth"], [], has_raters=False)
    [('Empathy', ''), ('Warmth', '')]
    """
    rests = [_bare(name, sources) for name in names]
    if has_raters:
        return [(_own_words(rest), "") for rest in rests]
    found = [_ONE.search(rest) for rest in rests]
    plain = [rest for rest, one in zip(rests, found, strict=True) if one is None]
    of_plain = iter(_split(plain))
    return [
        next(of_plain) if one is None else (_own_words(rest[: one.start()] + rest[one.end() :]), one[0])
        for rest, one in zip(rests, found, strict=True)
    ]


def _without_source(words: list[str], sources: Sequence[str]) -> list[str]:
    found = Names.of({source: [] for source in sources}).in_words(words)
    return words if found is None else [*words[: found[1].start], *words[found[1].stop :]]


def _own_words(rest: str) -> str:
    return " ".join(word for word in rest.split() if not _GENERIC.match(word))


def _split(rests: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Question and rater of names without a word for rater: the words that differ are the raters, unless they judge."""
    words = [_own_words(rest).split() for rest in rests]
    if all(len(one) > 1 for one in words):
        for rater, question in ((slice(1), slice(1, None)), (slice(-1, None), slice(-1))):
            raters = {" ".join(one[rater]) for one in words}
            if len(raters) > 1 and all(map(_is_no_word, raters)):
                return ((" ".join(one[question]), " ".join(one[rater])) for one in words)
    are_raters = all(one and _is_no_word(" ".join(one)) for one in words)
    return (("", " ".join(one)) if are_raters else (" ".join(one), "") for one in words)
