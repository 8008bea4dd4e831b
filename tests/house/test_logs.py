"""Log lines contain nothing that a visitor sent."""

import json
import logging
import logging.config
import sys

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from app.base.logs import JsonFormatter, RepeatedLines, TextFormatter, log_config, new_request_id

SECRET = "anna@example.org"


def record_of(words: str, *values: object) -> logging.LogRecord:
    """Create a log record with the exception that is being handled, if any."""
    exc_info = sys.exc_info() if sys.exc_info()[1] else None
    return logging.LogRecord("attune.web", logging.ERROR, __file__, 1, words, values, exc_info)


@pytest.mark.parametrize("formatter", [TextFormatter(), JsonFormatter()])
def test_logged_exception_has_type_and_location_without_message(formatter: logging.Formatter) -> None:
    try:
        int(SECRET)
    except ValueError:
        line = formatter.format(record_of("GET %s failed", "/s/demo"))
    assert SECRET not in line
    assert "builtins.ValueError" in line
    assert "test_logs.py" in line
    assert "GET /s/demo failed" in line


def test_failed_statement_logs_sqlstate_without_parameters(db: Connection) -> None:
    with pytest.raises(SQLAlchemyError) as failed, db.begin_nested():
        db.execute(text("SELECT CAST(:value AS integer)"), {"value": SECRET})
    assert SECRET not in str(failed.value).partition("[SQL")[2]
    record = record_of("failed")
    record.exc_info = (failed.type, failed.value, failed.tb)
    line = TextFormatter().format(record)
    assert SECRET not in line
    assert "SQLSTATE 22P02" in line


@pytest.mark.parametrize("formatter", [TextFormatter(), JsonFormatter()])
def test_values_cannot_forge_log_lines_or_control_terminal(formatter: logging.Formatter) -> None:
    line = formatter.format(record_of("refused %s", "a\nERROR forged\x1b[2J\u2028b"))
    assert "\n" not in line
    assert "\x1b" not in line
    assert "\u2028" not in line


def test_log_line_contains_request_id() -> None:
    request_id = new_request_id()
    assert f"[{request_id}]" in TextFormatter().format(record_of("failed"))
    parsed = json.loads(JsonFormatter().format(record_of("failed")))
    assert (parsed["request_id"], parsed["level"], parsed["logger"]) == (request_id, "error", "attune.web")


@pytest.mark.parametrize("form", ["text", "json"])
def test_log_configuration_is_valid(form: str) -> None:
    config = log_config(form, "info")  # type: ignore[arg-type]
    parsed = logging.config.DictConfigurator(config)
    formatter = parsed.configure_formatter(config["formatters"]["line"])
    assert isinstance(formatter, {"text": TextFormatter, "json": JsonFormatter}[form])
    assert config["loggers"]["attune"]["level"] == "INFO"


def test_line_that_visitors_can_cause_at_will_is_logged_once_a_minute() -> None:
    logger, passed = logging.getLogger("uvicorn.error"), RepeatedLines()
    record = logger.makeRecord("uvicorn.error", logging.WARNING, "", 1, "Invalid HTTP request received.", (), None)
    other = logger.makeRecord("uvicorn.error", logging.WARNING, "", 1, "Something else.", (), None)
    assert [passed.filter(one) for one in (record, record, other, record)] == [True, False, True, False]
    passed.every_s = 0
    passed._until.clear()
    assert [passed.filter(record), passed.filter(record)] == [True, True]
    assert log_config("text", "warning")["loggers"]["uvicorn.error"]["filters"] == ["repeated"]
