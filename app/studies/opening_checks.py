"""Whether a study can be opened with its protocol, and sentences for the lead if it cannot."""

from collections.abc import Container
from datetime import UTC, datetime

from app.base.files.yaml_tree import lines_of
from app.protocol.allocation.feasibility import Feasibility
from app.protocol.help_lines import unchecked
from app.protocol.opening import not_carried_out, not_declared, placeholders
from app.protocol.study import Protocol


class OpeningError(ValueError):
    """The study cannot be opened; the message gives the lead the reason."""


class StudyEmptyError(OpeningError):
    """The study has nothing to rate."""


class NotCarriedOutError(OpeningError):
    """The protocol contains settings that this version does not support for raters yet."""


class UnfilledError(OpeningError):
    """Raters would read placeholders that the lead has neither filled in nor confirmed."""


class DesignUnmetError(OpeningError):
    """The design is not feasible with any number of raters."""


def parts_not_carried_out(protocol: Protocol, yaml: str) -> list[str]:
    """The unsupported parts, each with its line: `flow.consent (line 52)`."""
    parts = not_carried_out(protocol)
    lines = lines_of(yaml) if parts else {}
    return [f"{part} (line {lines[part]})" if part in lines else part for part in parts]


def check_carried_out(protocol: Protocol, yaml: str) -> None:
    """Reject a study whose protocol has settings that are not supported.

    Raises:
        NotCarriedOutError: lists each part, with its line of study.yaml.
    """
    if parts := parts_not_carried_out(protocol, yaml):
        raise NotCarriedOutError(
            f"The study {protocol.slug} can be loaded and analysed, not opened: this version does not carry out yet "
            f"what study.yaml says in {', '.join(parts)}."
        )


def check_declared(protocol: Protocol) -> None:
    """Reject a study that records or sends what the consent form does not declare.

    Raises:
        OpeningError: with what is missing.
    """
    if missing := not_declared(protocol):
        raise OpeningError(" ".join(missing))


def check_help_lines(protocol: Protocol) -> None:
    """Reject a study whose help lines nobody has checked within a year.

    Raises:
        OpeningError: names each of them with its country.
    """
    lines = protocol.writing.help_lines if protocol.writing else ()
    if sentences := unchecked(lines, datetime.now(UTC).date()):
        raise OpeningError(" ".join(sentences))


def unfilled(protocol: Protocol, as_written: Container[str]) -> str | None:
    """Why the study cannot be opened: placeholders are left that were not confirmed. None if there are none."""
    left = [words for words in placeholders(protocol) if words not in as_written]
    if not left:
        return None
    return (
        f"Raters would see placeholders that have not been filled in: {', '.join(left)}. Fill them in, or confirm for "
        "each of them that raters should read it as it is written."
    )


def check_placeholders(protocol: Protocol, as_written: Container[str]) -> None:
    """Reject texts with placeholders, other than those that raters should read `as_written`.

    Raises:
        UnfilledError: names each placeholder.
    """
    if left := unfilled(protocol, as_written):
        raise UnfilledError(left)


def check_feasible(protocol: Protocol, needs: Feasibility) -> None:
    """Reject a design that is not feasible.

    Raises:
        DesignUnmetError: with the arithmetic.
    """
    if needs.problems:
        words = [sentence for sentence in needs.sentences() if sentence not in needs.notes]
        raise DesignUnmetError(f"The design of the study {protocol.slug} cannot be carried out. {' '.join(words)}")
