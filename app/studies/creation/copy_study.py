"""Copy a study: its protocol and its texts, without its raters and answers."""

from collections.abc import Callable
from dataclasses import replace

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection

from app.accounts.leads import Lead, revoke_sign_in_links
from app.analysis.data.study_folder import StudyFolder
from app.base.files.yaml_tree import read_yaml
from app.base.problem import InvalidInputError, Problem
from app.base.problems import Problems
from app.protocol.study_parts import Slug
from app.protocol.yaml.edited_yaml import edited_yaml
from app.protocol.yaml.study_yaml import FILE, read_protocol
from app.studies.editor.nodes import Data
from app.studies.export import study_folder
from app.studies.folder.raters import named_in
from app.studies.folder.ratings.ratings import no_ratings
from app.studies.folder.texts import no_responses
from app.studies.load import load_study
from app.studies.studies import StudyRow


def copy_study(
    db: Connection, study: StudyRow, lead: Lead, slug: str, title: str, own: Callable[[Data], Data] = lambda data: data
) -> str:
    """Store a copy of the current version as a draft under another slug and title; end the lead's sign-in links.

    Args:
        db: a connection in a transaction.
        study: the study to copy.
        lead: becomes the owner of the copy.
        slug: of the copy.
        title: of the copy.
        own: replaces what each study has of its own, such as completion codes.

    Returns:
        The slug of the copy.

    Raises:
        InvalidInputError: the slug is invalid or taken, or the title is empty; nothing was stored.
    """
    try:
        TypeAdapter(Slug).validate_python(slug)
    except ValidationError:
        allowed = "lowercase letters, digits and hyphens between them, up to 64"
        raise InvalidInputError([Problem("the form", None, "short name", slug or "nothing", allowed)]) from None
    folder = study_folder(db, study.id)
    problems = Problems()
    tree = read_yaml(FILE, folder.yaml, problems)
    data = {**own(tree.data if tree else {}), "slug": slug, "title": title}
    yaml = edited_yaml(folder.yaml, data)
    protocol = read_protocol(yaml, problems)
    if protocol is None:
        raise InvalidInputError(problems.list_of(FILE))
    with db.begin_nested():
        load_study(db, _without_answers(replace(folder, protocol=protocol, yaml=yaml)), lead.id)
    revoke_sign_in_links(db, lead.id)
    return slug


def _without_answers(folder: StudyFolder) -> StudyFolder:
    """The texts of a study, without what its raters wrote."""
    nobody = named_in(None, Problems())
    responses = no_responses() if folder.protocol.writing else folder.responses
    return StudyFolder(
        folder.protocol, folder.yaml, folder.items, responses, nobody, no_ratings(), images=folder.images
    )
