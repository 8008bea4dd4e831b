"""From a spreadsheet to a draft: look at the file, take what the lead says about it, and make a study of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

from app.accounts.leads import Lead
from app.analysis.data.study_folder import StudyFolder
from app.base.database.engine import Begin
from app.base.files.file_names import title_of
from app.base.problem import InvalidInputError, Problem
from app.base.problems import Problems
from app.base.words import and_list
from app.protocol.study import Protocol
from app.protocol.yaml.study_yaml import FILE, read_protocol
from app.studies.audit import record_act
from app.studies.creation.blank_study import rated_yaml
from app.studies.creation.goals import Goal, draft_yaml
from app.studies.creation.new_study import free_slug
from app.studies.creation.read_new_study import store_study
from app.studies.creation.sheet_drafts import (
    SheetDraft,
    add_draft,
    describe_draft,
    get_content,
    lock_made,
    record_made,
)
from app.studies.creation.upload_process import UploadReader
from app.studies.imports.pipeline import import_texts
from app.studies.imports.read_texts import column_of
from app.studies.imports.sheet_ratings import guess_rating_columns, import_sheet_ratings
from app.studies.imports.text_import import NO_SITUATION, TextSheet, look_at_sheet, sources_of, texts_of
from app.studies.imports.text_uploads import (
    decided,
    get_upload,
    has_answers,
    read_as,
    record_columns,
    record_upload,
    record_use,
)
from app.studies.protocols import get_protocol
from app.studies.studies import get_study


def keep_dropped(begin: Begin, reader: UploadReader, lead: Lead, file_name: str, content: bytes) -> UUID:
    """Look at a file and keep it for a day.

    Raises:
        InvalidInputError: it cannot be read; nothing is kept.
    """
    columns, report = reader.read(look_at_sheet, TextSheet(file_name, content, choices={}))
    with begin() as db:
        return add_draft(db, lead.id, file_name, content, columns, report)


def keep_description(begin: Begin, reader: UploadReader, draft: SheetDraft, said: SheetDraft, sheet: int) -> SheetDraft:
    """Store what the lead says about the file, and return it with the report that follows; another sheet starts anew.

    Raises:
        InvalidInputError: the file cannot be read like this; what was said before is kept.
    """
    is_other = sheet != draft.report["sheet"]
    choices = {} if is_other else said.report["choices"]
    if not is_other and said == draft:
        return draft
    with begin() as db:
        content = get_content(db, draft.token)
    text_sheet = TextSheet(
        draft.file_name,
        content,
        None if is_other else said.columns,
        said.is_repaired,
        sheet,
        choices,
        {} if is_other else said.report["scales"],
        {} if is_other else said.report["read_as"],
    )
    columns, report = reader.read(look_at_sheet, text_sheet)
    said = replace(said, columns=columns, report=report)
    with begin() as db:
        describe_draft(db, said)
    return said


def make_study(begin: Begin, reader: UploadReader, lead: Lead, draft: SheetDraft, goal: Goal) -> str:
    """Make a draft study of the file, once.

    Returns:
        The slug of the study.

    Raises:
        InvalidInputError: problems of the file; nothing was stored.
    """
    if column_of(draft.columns, "text") is None:
        raise InvalidInputError([Problem(draft.file_name, 1, None, "", NO_SITUATION)])
    sources = sources_of(draft.columns, draft.report["sources"], None)
    if misfit := goal.misfit(len(sources), draft.report["rated"]):
        raise InvalidInputError([Problem(draft.file_name, None, None, misfit, goal.takes)])
    if goal.has_ratings and (unseen := [one["name"] for one in draft.report["rated"] if _is_unseen(one)]):
        raise InvalidInputError([Problem(draft.file_name, None, None, "", UNSEEN.format(and_list(unseen, _MAX_NAMES)))])
    title = title_of(draft.file_name)
    with begin() as db:
        slug, content = free_slug(db, title), get_content(db, draft.token)
    sheet = TextSheet(
        draft.file_name, content, draft.columns, draft.is_repaired, draft.report["sheet"], draft.report["choices"]
    )
    is_rated = goal.has_ratings
    yaml = (
        rated_yaml(slug, title, sources, draft.report["rated"]) if is_rated else draft_yaml(goal, slug, title, sources)
    )
    try:
        import_texts(InNewStudy(begin, lead, draft, goal, content, yaml), texts_of(sheet), reader.read)
    except AlreadyMadeError as error:
        return error.slug
    return slug


# Values that were none before the last form are read as no answers only once the lead has seen it.
UNSEEN = "Some values of {} may be no answers. Check below how they are read, then choose again."
_MAX_NAMES = 3


def _is_unseen(rated: Mapping[str, Any]) -> bool:
    return not all(value["is_decided"] for value in rated["odd"])


def import_collected(begin: Begin, reader: UploadReader, lead: Lead, slug: str) -> None:
    """Import the ratings of the sheet that a study was made of, unless it has ratings.

    Raises:
        InvalidInputError: every problem of the ratings. None was saved.
        StudyChangedError: someone else imported ratings at the same time. None was saved.
    """
    with begin() as db:
        study = get_study(db, slug, lead.id)
        upload = get_upload(db, study.id) if study else None
        if study is None or upload is None or has_answers(db, study.id):
            return
        columns = guess_rating_columns(upload, get_protocol(db, study.id, study.protocol_version))
    import_sheet_ratings(begin, reader, study, lead, upload, columns)


class AlreadyMadeError(Exception):
    """The same study was made a moment ago, such as by a second click."""

    def __init__(self, slug: str) -> None:
        super().__init__(slug)
        self.slug = slug


@dataclass(frozen=True, slots=True)
class InNewStudy:
    """A study that is made of its texts."""

    begin: Begin
    lead: Lead
    draft: SheetDraft
    goal: Goal
    content: bytes
    yaml: str

    def protocol(self) -> tuple[Protocol, str, list[Problem]]:
        """See TextPlace."""
        problems = Problems()
        protocol = read_protocol(self.yaml, problems)
        if protocol is None:
            raise InvalidInputError(problems.list_of(FILE))
        return protocol, self.yaml, []

    def add_texts(self, file: Path, texts: StudyFolder) -> None:
        """Store the study with its texts, the file, and what was decided about it."""
        draft = self.draft
        with self.begin() as db:
            made = lock_made(db, draft.token)
            before = made.get(self.goal.name)
            if before is not None and get_study(db, before, self.lead.id) is not None:
                raise AlreadyMadeError(before)
            slug = store_study(db, texts, self.lead.id)
            study = get_study(db, slug, self.lead.id)
            if study is None:
                raise AssertionError("a study that was stored is there")
            record_upload(db, study.id, draft.file_name, self.content, draft.columns, draft.report)
            record_columns(db, study.id, draft.columns, draft.report, is_repaired=draft.is_repaired)
            record_use(db, study.id)
            choices = [*decided(draft.report), *(read_as(draft.report) if self.goal.has_ratings else ())]
            detail = {"file": file.name, "n_items": len(texts.items), "choices": choices}
            record_act(db, self.lead, study, "made from a spreadsheet", **detail)
            record_made(db, draft.token, {**made, self.goal.name: slug})
