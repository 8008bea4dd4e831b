"""An SPSS syntax file that reads ratings.csv and labels its columns and the points of its scales."""

from collections.abc import Sequence

from app.protocol.questions.registry import ScaledQuestion
from app.protocol.rating_columns import COLUMNS
from app.protocol.study import Protocol

# SPSS cuts labels at these lengths.
MAX_LABEL, MAX_VALUE_LABEL = 256, 120
NUMBERS = ("number", "whole", "count")
HEAD = """\
* Encoding: UTF-8.
* Reads the answers of {title}.
* Put {slug}-ratings.csv beside this file, or change its path.
PRESERVE.
SET DECIMAL=DOT.
GET DATA
  /TYPE=TXT
  /FILE="{slug}-ratings.csv"
  /ENCODING="UTF8"
  /ARRANGEMENT=DELIMITED
  /DELIMITERS=","
  /QUALIFIER='"'
  /FIRSTCASE=2
  /VARIABLES=
{variables}.
RESTORE.
DATASET NAME ratings.

VARIABLE LABELS
{labels}.

* Answers of people only. To rehearse the analysis with simulated ratings, leave this out.
SELECT IF (rater_kind = 'person' AND is_simulated = 'false').
{counted}EXECUTE.
"""
# What the estimates leave out, by the column that says so.
COUNTED = {
    "exclude": "* Without excluded answers.\nSELECT IF (exclude = '').\n",
    "repeat": "* Without planned repeats.\nSELECT IF (planned_repeat = 0).\n",
}


def spss_script(protocol: Protocol, columns: Sequence[str]) -> str:
    """Return the syntax; `columns` are those of ratings.csv, in its order."""
    named = {column.name: column for column in COLUMNS}
    shown = [named[name] for name in columns]
    variables = "\n".join(f"    {_name(one.name)} {'F12.4' if one.type in NUMBERS else 'A255'}" for one in shown)
    labels = "\n".join(f"  {_name(one.name)} {_quoted(f'{one.label}: {one.meaning}', MAX_LABEL)}" for one in shown)
    counted = "".join(words for name, words in COUNTED.items() if name in columns)
    head = HEAD.format(
        title=_line(protocol.title), slug=protocol.slug, variables=variables, labels=labels, counted=counted
    )
    return head + "".join(map(_points, protocol.scaled_questions))


def _points(question: ScaledQuestion) -> str:
    """Return a dataset with the answers to one question and the words of its scale."""
    points = "\n".join(
        f"  {value} {_quoted(words, MAX_VALUE_LABEL)}" for value, words in question.meanings() if value and words
    )
    if not points:
        return ""
    return f"""
* {_line(question.text)}.
DATASET ACTIVATE ratings.
DATASET COPY {question.key}.
DATASET ACTIVATE {question.key}.
SELECT IF (question = {_quoted(question.key, MAX_LABEL)}).
VALUE LABELS value_number
{points}.
EXECUTE.
"""


def _name(column: str) -> str:
    """Return the name of a variable; `repeat` is a command of SPSS."""
    return "planned_repeat" if column == "repeat" else column


def _line(words: str) -> str:
    """Return words for a comment, which a full stop at the end of a line would close."""
    return " ".join(words.split()).rstrip(".")


def _quoted(words: str, most: int) -> str:
    """Return a string literal of SPSS.

    >>> _quoted("it's", 10)
    "'it''s'"
    """
    return "'" + _line(words)[:most].replace("'", "''") + "'"
