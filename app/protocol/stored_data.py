"""Which data about raters a study stores, as far as it depends on the protocol."""

from typing import NamedTuple

from app.protocol.study import Protocol


class StoredData(NamedTuple):
    """Which data about raters a study stores, as far as it depends on the protocol."""

    answers_about_rater: bool
    own_words: bool
    typing_rhythm: bool
    keystrokes: bool
    marked_words: bool
    consent: bool
    checks: bool


def stored_data(protocol: Protocol) -> StoredData:
    """The data that a study stores about its raters."""
    kinds = {question.type for question in protocol.questions}
    checks = protocol.checks
    return StoredData(
        answers_about_rater=any(question.target == "rater" for question in protocol.questions),
        own_words="text" in kinds or protocol.writing is not None,
        typing_rhythm=any(question.records_typing for question in protocol.questions),
        keystrokes=protocol.draft is not None and protocol.draft.keystrokes,
        marked_words="highlight" in kinds,
        consent=protocol.flow.consent is not None,
        checks=checks != type(checks)(),
    )
