"""Numbers for responses from a program or an endpoint: one JSON object per line goes in, one per line comes back."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from math import isfinite
from tempfile import TemporaryFile
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, build_opener

from sqlalchemy import Connection, text

from app.base.database.engine import Begin
from app.base.processes.outgoing import NoRedirects
from app.base.words import number_text
from app.studies.studies import StudyRow

# A line of scores is short; more than this is no scores.
MAX_OUTPUT = 50_000_000
_BATCH = 100
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MAX_SHOWN = 200


class ScoringError(RuntimeError):
    """There are no scores; the message says why."""


@dataclass(slots=True)
class Scored:
    """The scores by response and name, the versions of their maker, and what went wrong, by response."""

    scores: dict[str, dict[str, str]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def score_by_command(command: Sequence[str], lines: Sequence[Mapping[str, Any]], *, timeout_s: float) -> Scored:
    """Run a program once; it reads the lines from standard input and writes its own to standard output.

    Raises:
        ScoringError: it cannot be started, takes too long, writes too much, or ends with an error.
    """
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as said:
        given.write(_packed(lines))
        given.seek(0)
        try:
            done = subprocess.run(command, stdin=given, stdout=out, stderr=said, timeout=timeout_s, check=False)
        except subprocess.TimeoutExpired:
            raise ScoringError(f"The command did not end within {timeout_s:g} s.") from None
        except OSError as error:
            raise ScoringError(f"The command cannot be started: {error.strerror}.") from None
        if done.returncode:
            said.seek(0)
            words = " ".join(said.read(10_000).decode(errors="replace").split())[-_MAX_SHOWN:]
            raise ScoringError(f"The command ended with exit code {done.returncode}: {words or 'no message'}.")
        out.seek(0)
        return read_scores(_bounded(out), [str(line["response"]) for line in lines])


def score_by_endpoint(url: str, lines: Sequence[Mapping[str, Any]], *, timeout_s: float) -> Scored:
    """Post the lines to an address, a hundred at a time. Redirects are not followed.

    Raises:
        ScoringError: the address does not answer, or not with lines.
    """
    if urlsplit(url).scheme not in {"http", "https"}:
        raise ScoringError("Expected an address that begins with http:// or https://.")
    found = Scored()
    for first in range(0, len(lines), _BATCH):
        batch = lines[first : first + _BATCH]
        request = Request(url, _packed(batch), {"Content-Type": "application/x-ndjson"}, method="POST")  # noqa: S310 - checked above
        try:
            with build_opener(NoRedirects).open(request, timeout=timeout_s) as answer:
                part = read_scores(_bounded(answer), [str(line["response"]) for line in batch])
        except HTTPError as error:
            raise ScoringError(f"The endpoint answered HTTP {error.code}.") from None
        except (URLError, TimeoutError, OSError) as error:
            raise ScoringError(f"The endpoint cannot be reached: {getattr(error, 'reason', error)}.") from None
        found.scores |= part.scores
        found.versions |= part.versions
        found.problems |= part.problems
    return found


def _packed(lines: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def _bounded(file: IO[bytes]) -> Iterator[str]:
    """The lines of an answer of limited length."""
    content = file.read(MAX_OUTPUT + 1)
    if len(content) > MAX_OUTPUT:
        raise ScoringError(f"The answer has more than {MAX_OUTPUT:,} bytes.")
    yield from content.decode(errors="replace").splitlines()


def read_scores(lines: Iterable[str], asked: Sequence[str]) -> Scored:
    """The scores of the lines; a response without scores has a problem that says why.

    >>> read_scores(['{"response": "a", "scores": {"warmth": 0.5}}'], ["a", "b"]).problems
    {'b': 'There is no line for this response.'}
    """
    found, waiting = Scored(), set(asked)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        one = _object(line, number)
        key = one.get("response")
        if not isinstance(key, str) or key not in waiting:
            raise ScoringError(
                f"Line {number} is about {_shown(key)}, which is not a response of the study or already has a line."
            )
        waiting.discard(key)
        try:
            found.scores[key] = _numbers(one)
            found.versions[key] = str(one.get("version") or "").replace("\0", "")[:_MAX_SHOWN]
        except ValueError as error:
            found.problems[key] = str(error)
    found.problems |= {key: "There is no line for this response." for key in asked if key in waiting}
    return found


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        one = json.loads(line)
    except (ValueError, RecursionError):
        raise ScoringError(f"Line {number} of the answer is not JSON: {line[:_MAX_SHOWN]}") from None
    if not isinstance(one, dict):
        raise ScoringError(f"Line {number} of the answer is not a JSON object: {line[:_MAX_SHOWN]}")
    return one


def _numbers(one: Mapping[str, Any]) -> dict[str, str]:
    if one.get("error"):
        raise ValueError(" ".join(str(one["error"]).split())[:_MAX_SHOWN])
    scores = one.get("scores")
    if not isinstance(scores, dict) or not scores:
        raise ValueError('The line has no "scores".')
    for name, value in scores.items():
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"The score name {_shown(name)} can contain only letters, digits, hyphens, points and underscores."
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise ValueError(f"The score {name} is {_shown(value)}, which is not a number.")
    return {name: number_text(float(value)) for name, value in scores.items()}


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:_MAX_SHOWN]


# Scores of responses that were computed elsewhere: attributes, like the numeric columns of responses.csv.

_TEXTS = text("""
    SELECT r.key AS response, i.key AS item, s.key AS source,
      coalesce(r.text, (SELECT string_agg(turn ->> 'text', E'\\n' ORDER BY place)
                        FROM jsonb_array_elements(r.turns) WITH ORDINALITY AS said (turn, place)), '') AS text,
      coalesce(i.text, (SELECT string_agg(turn ->> 'text', E'\\n' ORDER BY place)
                        FROM jsonb_array_elements(i.turns) WITH ORDINALITY AS said (turn, place)), '') AS situation
    FROM responses r
    JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE r.study_id = :study ORDER BY r.position, r.id
""")
_RECORD = text("""
    UPDATE responses r SET attributes = r.attributes || g.scores
    FROM jsonb_to_recordset(CAST(:scores AS jsonb)) AS g (key text, scores jsonb)
    WHERE r.study_id = :study AND r.key = g.key
""")


@dataclass(frozen=True, slots=True)
class TextToScore:
    """A response and its item; the turns of a dialogue are lines."""

    response: str
    item: str
    source: str
    text: str
    situation: str


def list_texts_to_score(db: Connection, study_id: int) -> list[TextToScore]:
    """All responses of a study, in the order of responses.csv."""
    return [TextToScore(*row) for row in db.execute(_TEXTS, {"study": study_id})]


def record_scores(db: Connection, study_id: int, scores: Mapping[str, Mapping[str, str]]) -> None:
    """Store attributes of responses, by response; attributes of the same name are replaced."""
    rows = [{"key": key, "scores": dict(one)} for key, one in scores.items()]
    db.execute(_RECORD, {"study": study_id, "scores": json.dumps(rows)})


# Score the responses of a study by a program or an endpoint, and store the scores as attributes of the responses.


def score_responses(begin: Begin, study: StudyRow, name: str, score: Score) -> tuple[Scored, tuple[str, ...]]:
    """Score all responses and store what came back; the texts are read and the scores stored in two transactions.

    Args:
        begin: begins a transaction.
        study: the study.
        name: the name of the metric, which the names of its scores begin with.
        score: from `app.llm.scoring`.

    Returns:
        What came back, and the names of the stored columns.

    Raises:
        ScoringError: there is nothing to score, or there are no scores.
    """
    with begin() as db:
        lines = [asdict(one) for one in list_texts_to_score(db, study.id)]
    if not lines:
        raise ScoringError("This study has no responses.")
    scored = score(lines)
    if not scored.scores:
        raise ScoringError(f"No response was scored. {next(iter(scored.problems.values()), '')}".rstrip())
    scored_on = datetime.now(UTC).date().isoformat()
    stored = {}
    for key, scores in scored.scores.items():
        named = {f"{name}.{one}": value for one, value in scores.items()}
        version = scored.versions.get(key) or "not stated"
        stored[key] = {**named, f"{name}.version": f"{version} (scored on {scored_on})"}
    columns = tuple(sorted({column for one in stored.values() for column in one}))
    with begin() as db:
        record_scores(db, study.id, stored)
    return scored, columns


Score = Callable[[list[dict[str, Any]]], Scored]
