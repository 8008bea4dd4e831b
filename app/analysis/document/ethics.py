"""A study for an ethics board: purposes, procedure, data, recipients, retention and rights, from the protocol."""

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from app.analysis.document.design_words import (
    check_sentences,
    condition_sentences,
    consent_sentences,
    design_sentences,
    sources_sentence,
)
from app.base.documents.blocks import Bullets, DataTable, Document, Paragraph, Section
from app.base.language.language import country_names
from app.base.words import and_list
from app.protocol.stored_data import stored_data
from app.protocol.study import Protocol

TO_FILL = "[to be completed: {}]"
HEADER = ("Data", "Purpose", "Where and how they are kept")
WITH_ANSWERS = "With the answers, under a pseudonym"
APART = "In a table of its own, apart from the answers; shown to leads only on request, and each view is logged"


class Retention(NamedTuple):
    """How long data are kept: until a date, and in backups for so many days more; None if it is not known."""

    until: date | None
    backup_days: int | None


def ethics_document(protocol: Protocol, retention: Retention, *, n_items: int, origin: str = "") -> Document:
    """The document; what the protocol does not say is marked as to be completed.

    `origin` says from which template the study is.
    """
    told = protocol.privacy
    controller = told.controller or TO_FILL.format("institution responsible for the data")
    lines = (f"Responsible: {controller}", f"Contact: {told.contact or TO_FILL.format('contact for participants')}")
    sections = (
        Section("Purpose", _words(*_purpose(protocol, origin))),
        Section("Participants and procedure", _words(*_procedure(protocol, n_items))),
        Section("Risks and support", _words(*_risks(protocol))),
        Section("Data", (_data(protocol), Paragraph(NOT_STORED))),
        Section("Recipients", _words(told.recipients or RECIPIENTS)),
        Section("Storage and security", (Paragraph(told.storage or TO_FILL.format(STORAGE)), Bullets(SECURITY))),
        Section("Retention and deletion", (Bullets(tuple(_retention(protocol, retention))),)),
        Section("Rights of participants", (Bullets(tuple(_rights(protocol))),)),
    )
    return Document(f"Ethics and data protection: {protocol.title}", lines, sections)


NOT_STORED = (
    "Not stored: names and e-mail addresses (unless a recruitment platform uses one as its participant ID), network "
    "addresses, locations, and details of the browser beyond the kind of device. No third party is contacted by the "
    "pages: they load nothing from other servers and set one cookie, which recognizes the participant."
)
RECIPIENTS = (
    "Only the members of the research team who have an account for this study. No one else receives the data. "
    "Downloads contain pseudonyms, never participant IDs, and are logged."
)
STORAGE = "where the server stands and who runs it"
SECURITY = (
    "Connections are encrypted if the server is reached by https.",
    "Members of the team have roles; each role sees only what it needs, and what they do is logged.",
    "Pseudonyms are made with a secret key, so that they cannot be computed from a participant ID.",
    "Cookies, invitations and sign-in links are stored as hashes, passwords as Argon2id hashes.",
)


def _words(*sentences: str) -> tuple[Paragraph, ...]:
    return tuple(Paragraph(sentence) for sentence in sentences)


def _purpose(protocol: Protocol, origin: str) -> Iterator[str]:
    yield protocol.privacy.purpose or "The study compares how participants judge responses to personal situations."
    if protocol.description:
        yield protocol.description
    if protocol.about_texts:
        yield protocol.about_texts
    yield sources_sentence(protocol)
    if origin:
        yield origin


def _procedure(protocol: Protocol, n_items: int) -> Iterator[str]:
    yield f"Participants read situations with responses to them and judge the responses. The study has {n_items} items."
    yield from consent_sentences(protocol)
    yield from design_sentences(protocol)
    yield from condition_sentences(protocol)
    yield from check_sentences(protocol)
    if protocol.flow.debrief:
        yield "At the end, participants are debriefed."
    if protocol.design.blind:
        yield (
            "Participants are not told who wrote a response while they rate, because this knowledge would change their "
            "judgements. The debriefing should say so."
        )


def _risks(protocol: Protocol) -> Iterator[str]:
    yield (
        "Situations may describe distress. Items can carry a content note; participants can skip such an item, pause, "
        "and stop at any time without giving a reason."
    )
    if protocol.flow.exposure_cap:
        yield f"No participant is shown more than {protocol.flow.exposure_cap} items with a content note."
    if protocol.flow.help:
        yield f"Every page says where to find help: {protocol.flow.help}"
    writing = protocol.writing
    if writing and writing.alert_words:
        yield "Participants who write certain words read at once whom they can turn to. The team sees in which texts."
    if writing and writing.help_lines:
        countries = sorted({country_names()[line.country] for line in writing.help_lines})
        yield (
            f"They then find help lines of {and_list(countries)}, and choose the country themselves: where they are is "
            "not looked up. The team has checked each number within the year before the study was opened."
        )


def _data(protocol: Protocol) -> DataTable:
    stored = stored_data(protocol)
    rows = [
        ("Answers, with earlier versions, times and the kind of device", "The research question", WITH_ANSWERS),
        ("Times and order of pages, skipped items and reasons", "Quality of the answers", WITH_ANSWERS),
        ("Participant ID from the link, with the platform's parameters", "To recognize and pay participants", APART),
        ("A random number in a cookie", "To return to the same place", "Only as a hash"),
    ]
    if stored.consent:
        rows.append(("Agreement to the consent form, its version and time", "Proof of consent", WITH_ANSWERS))
    if stored.checks:
        rows.append(("Results of attention and comprehension checks", "Quality of the answers", WITH_ANSWERS))
    if stored.typing_rhythm:
        rows.append(("Number of keystrokes and pasted characters, typing time", "Quality of the answers", WITH_ANSWERS))
    if stored.keystrokes:
        what = "Each change of their drafts: when, where, how many characters, and whether pasted; not which characters"
        rows.append((what, "How the texts were written", WITH_ANSWERS))
    if stored.own_words or stored.marked_words:
        rows.append(("Texts that participants write or mark", "The research question", WITH_ANSWERS))
    about = [question.text for question in protocol.questions if question.target == "rater"]
    rows += [(f"Answer about the participant: {text}", "To describe the sample", WITH_ANSWERS) for text in about]
    return DataTable("Data about participants.", HEADER, tuple(rows))


def _retention(protocol: Protocol, retention: Retention) -> Iterator[str]:
    until = f"until {retention.until:%d %B %Y}" if retention.until else TO_FILL.format("retention date")
    yield f"The data are kept {until}."
    yield (
        "Two days after this date, the software deletes the study with all its data."
        if protocol.privacy.delete_at_retention
        else "After this date, the software reminds the research team to delete the study."
    )
    days = retention.backup_days or TO_FILL.format("number of")
    yield f"Backups of the server are kept for at most {days} days after they were made."
    yield "Deletions are repeated when an older backup is restored. What remains is a receipt without answers."


def _rights(protocol: Protocol) -> Iterator[str]:
    yield "Taking part is voluntary. Participants can stop at any time by a link on every page."
    yield "They can have all their answers deleted at once and without giving a reason, also after they have finished."
    if protocol.flow.consent:
        yield "If they do not agree to the consent form, nothing about them is stored."
    yield "They can download all data about them after they have finished or stopped, and the team can do so for them."
    yield "A privacy page, open to everyone and linked from the study, says what is stored, where and how long."
