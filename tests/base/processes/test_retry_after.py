from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from app.base.processes.outgoing import seconds_to_wait


def test_time_to_wait_is_taken_from_a_date() -> None:
    later = datetime.now(UTC) + timedelta(seconds=60)
    for header in (format_datetime(later, usegmt=True), format_datetime(later.replace(tzinfo=None))):
        assert seconds_to_wait(header, at_most=120) == pytest.approx(60, abs=5)
        assert seconds_to_wait(header, at_most=7) == 7


@pytest.mark.parametrize("header", ["", "soon", "nan"])
def test_header_without_a_time_asks_for_nothing(header: str) -> None:
    assert seconds_to_wait(header, at_most=120) is None
