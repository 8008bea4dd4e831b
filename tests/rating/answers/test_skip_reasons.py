"""Reasons for which a trial may be skipped."""

from app.rating.answers.skips import CONTENT_NOTE, skip_reasons
from tests.kit.protocols import protocol


def test_content_note_is_always_a_skip_reason() -> None:
    study = protocol(flow={"skip_reasons": ["I know the person"]})
    assert skip_reasons(study, has_note=False) == ("I know the person",)
    assert skip_reasons(study, has_note=True) == ("I know the person", CONTENT_NOTE)
    assert skip_reasons(protocol(), has_note=False) == ()
