"""Log lines as text or JSON, with the ID of the request and without any data from visitors.

Messages of exceptions are left out, because they may contain such data: databases quote the rejected row, and `int()`
quotes the invalid text. The type of the exception and its location are logged.
"""

import json
import logging
import secrets
import time
import traceback
from collections.abc import Iterator
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

# An ID per request: in its log lines, in a header of its response and on its error page.

HEADER = "X-Request-ID"
_current: ContextVar[str] = ContextVar("request_id", default="-")


def new_request_id() -> str:
    """Create the ID of a new request. Client-sent IDs are not used, because they could forge log lines."""
    request_id = secrets.token_hex(8)
    _current.set(request_id)
    return request_id


def current_request_id() -> str:
    """The ID of the current request; a dash outside of a request."""
    return _current.get()


LogFormat = Literal["text", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]
_ROOT = Path(__file__).resolve().parents[2]
# Line ends could forge log lines, and escape characters could control the reader's terminal.
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))} | {0x2028: "\\u2028", 0x2029: "\\u2029"}


class RepeatedLines(logging.Filter):
    """Passes one record of each wording in a minute: what a visitor sends must not fill the log."""

    every_s = 60.0

    def __init__(self) -> None:
        """Create a filter that has seen nothing."""
        super().__init__()
        self._until: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log the record."""
        now, words = time.monotonic(), str(record.msg)
        if now < self._until.get(words, 0.0):
            return False
        self._until[words] = now + self.every_s
        return True


class TextFormatter(logging.Formatter):
    """One line per record; for an exception, followed by one line per stack frame."""

    def format(self, record: logging.LogRecord) -> str:
        """Format the record."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        words = record.getMessage().translate(_CONTROL)
        head = f"{at} {record.levelname} {record.name} [{current_request_id()}] {words}"
        return "\n  ".join([head, *_stack(record)])


class JsonFormatter(logging.Formatter):
    """One JSON object per record."""

    def format(self, record: logging.LogRecord) -> str:
        """Format the record."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "request_id": current_request_id(),
            "message": record.getMessage().translate(_CONTROL),
        }
        if stack := _stack(record):
            line["stack"] = stack
        return json.dumps(line)


def _stack(record: logging.LogRecord) -> list[str]:
    error = record.exc_info[1] if record.exc_info else None
    return [line for raised in _chain(error) for line in _lines(raised)]


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, followed by the exceptions it was raised from."""
    seen = set[int]()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _lines(error: BaseException) -> Iterator[str]:
    state = getattr(error, "sqlstate", None) or getattr(getattr(error, "orig", None), "sqlstate", None)
    kind = type(error)
    yield f"{kind.__module__}.{kind.__qualname__}" + (f" (SQLSTATE {state})" if state else "")
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"at {frame.filename.removeprefix(f'{_ROOT}/')}:{frame.lineno} in {frame.name}"


def log_config(form: LogFormat, level: LogLevel) -> dict[str, Any]:
    """Configuration for `logging.config.dictConfig`: everything goes to standard error, in one format."""
    formatter = {"text": "app.base.logs.TextFormatter", "json": "app.base.logs.JsonFormatter"}[form]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": formatter}},
        "filters": {"repeated": {"()": "app.base.logs.RepeatedLines"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "attune": {"level": level.upper()},
            # Sign-ins and refusals are logged whatever the level: without them, misuse cannot be reconstructed.
            "attune.security": {"level": "DEBUG" if level == "debug" else "INFO"},
            # One line for each request that is not HTTP, or that asks for a WebSocket, would be too many.
            "uvicorn.error": {"filters": ["repeated"]},
            # The worker says what becomes of its jobs.
            "procrastinate": {"level": "CRITICAL"},
            "psycopg.pool": {"level": "CRITICAL"},
            # A broken connection is logged once, by the request that used it.
            "sqlalchemy.pool": {"level": "CRITICAL"},
        },
    }


# One log line for a problem that affects many requests at once.


class ThrottledLog:
    """Writes the first line, then at most one line per `every_s` seconds, with the number of lines left out."""

    def __init__(self, log: logging.Logger, *, every_s: float) -> None:
        """Write to `log`."""
        self._log, self._every_s = log, every_s
        self._until, self._n_left_out = 0.0, 0

    def error(self, words: str, *values: object) -> None:
        """Log the error, or only count it."""
        now = time.monotonic()
        if now < self._until:
            self._n_left_out += 1
            return
        more = f" (and {self._n_left_out} more before)" if self._n_left_out else ""
        self._until, self._n_left_out = now + self._every_s, 0
        self._log.error(words + "%s", *values, more)
