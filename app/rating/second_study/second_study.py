"""Make a study of what the raters of another study wrote: blinded, without their identity, with reviewed texts only."""

import csv
import io
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from app.accounts.leads import Lead, revoke_sign_in_links
from app.analysis.data.study_folder import ITEM_COLUMNS, RESPONSE_COLUMNS, StudyFolder
from app.base.files.yaml_tree import read_yaml
from app.base.problem import InvalidInputError, Problem
from app.base.problems import Problems
from app.protocol.cells import cell_of
from app.protocol.dialogue import turns_from_json, turns_to_json
from app.protocol.yaml.edited_yaml import edited_yaml
from app.protocol.yaml.study_yaml import FILE
from app.rating.conversations.turns import ALERT
from app.rating.second_study.first_questions import FORM, OWN, FirstQuestions, first_questions, with_first_questions
from app.rating.second_study.shared_texts import SharedText, are_diaries, goals_of, list_shared_texts, why_not
from app.studies.audit import record_act
from app.studies.creation.goals import draft_yaml
from app.studies.creation.new_study import free_slug
from app.studies.export import study_folder
from app.studies.folder.read import IMAGES, read_files
from app.studies.load import load_study
from app.studies.studies import StudyRow, get_study

Row = dict[str, Any]
# As the questions of the template call them; a partner's own name could tell the partners apart.
SPEAKERS = {"rater": "Seeker", "partner": "Supporter"}
NOTE = "May be distressing: the conversation has words that its study watches for."
# Of the attributes that a conversation has, those that name its raters.
_NAMES_RATERS = frozenset({"written_by", "written_with"})
_ORIGINS = text("""
    INSERT INTO reused_texts (study_id, response_id, origin_study_id, origin_id)
    SELECT p.study_id, p.id, :origin, o.id FROM unnest(CAST(:keys AS text[]), CAST(:origins AS bigint[])) AS o (key, id)
    JOIN responses p ON p.study_id = :study AND p.key = o.key
""")


class Made(NamedTuple):
    """A study that was made: its slug, and how many texts it has."""

    slug: str
    n_texts: int


def make_second_study(
    db: Connection,
    study: StudyRow,
    owner: int | None,
    questions: str,
    title: str,
    *,
    lead: Lead | None,
    words: str = "",
) -> Made:
    """Store a draft study in which others rate what the raters of a study wrote.

    A conversation becomes an item of its own with the task as its text, and a response of its partner's source. Other
    texts become responses to their own item, beside those that the item had before.

    Args:
        db: the transaction.
        study: the study in which the texts were written.
        owner: the ID of the lead who becomes its owner, if there is one.
        questions: what it begins with, see `first_questions`; if empty, the last of the templates that fit.
        title: of the new study.
        lead: who makes it, for the log; None on the command line.
        words: the statements of a published scale, if they are not in Attune.

    Raises:
        InvalidInputError: texts are not reviewed yet, or the form is wrong; nothing was stored.
    """
    shared = list_shared_texts(db, study.id)
    if reason := why_not(shared):
        raise InvalidInputError([Problem(study.slug, None, None, reason, "reviewed texts")])
    questions = questions or (OWN if are_diaries(shared) else "")
    begins = first_questions(db, goals_of(shared), questions, words, lead.id if lead else None)
    goal = begins.goal
    first = study_folder(db, study.id)
    items, responses, origins = _conversations(first, shared.shown) if goal.is_dialogue else _texts(first, shared.shown)
    used = {row["source"] for row in responses}
    sources = {key: source for key, source in _sources(first).items() if key in used}
    if misfit := goal.misfit(len(sources)):
        raise InvalidInputError([Problem(FORM, None, "questions", misfit, goal.takes)])
    yaml = _yaml(begins, free_slug(db, title), title, sources, first, len(items))
    files = {
        FILE: yaml.encode(),
        "items.csv": _csv(items, ITEM_COLUMNS),
        "responses.csv": _csv(responses, RESPONSE_COLUMNS),
        **({f"{IMAGES}/{name}": image.content for name, image in first.images.items()} if not goal.is_dialogue else {}),
    }
    folder = read_files(files)
    with db.begin_nested():
        load_study(db, folder, owner)
    if owner is not None:
        revoke_sign_in_links(db, owner)
    made = get_study(db, folder.protocol.slug)
    if made is None:
        raise AssertionError("a study that was stored is there")
    db.execute(_ORIGINS, {"study": made.id, "origin": study.id, "keys": [*origins], "origins": [*origins.values()]})
    record_act(db, lead, study, "second study made of its texts", to=made.slug, n_texts=len(origins))
    record_act(db, lead, made, "made of the texts of another study", origin=study.slug, n_texts=len(origins))
    return Made(made.slug, len(origins))


def _sources(first: StudyFolder) -> dict[str, Row]:
    tree = read_yaml(FILE, first.yaml, Problems())
    return dict(tree.data["sources"]) if tree else {}


def _yaml(
    begins: FirstQuestions, slug: str, title: str, sources: Mapping[str, Row], first: StudyFolder, n_items: int
) -> str:
    reference = first.protocol.analysis.reference
    yaml = draft_yaml(begins.goal, slug, title, sources, reference if reference in sources else None)
    tree = read_yaml(FILE, yaml, Problems())
    if tree is None:
        raise AssertionError("a draft can be read")
    design = dict(tree.data["design"])
    if "trials_per_rater" in design:
        design["trials_per_rater"] = min(int(design["trials_per_rater"]), n_items)
    data = with_first_questions(tree.data, begins)
    return edited_yaml(yaml, {**data, "design": design, "language": first.protocol.language})


def _conversations(first: StudyFolder, shown: Sequence[SharedText]) -> tuple[list[Row], list[Row], dict[str, int]]:
    """Each conversation as an item with one response, in random order."""
    tasks = {row["item"]: row for row in _rows(first.items)}
    written = {row["response"]: row for row in _rows(first.responses)}
    own = _own_ratings(first)
    items, responses, origins = list[Row](), list[Row](), dict[str, int]()
    for number, one in enumerate(_shuffled(shown), 1):
        key = f"conversation-{number}"
        row = written[one.key]
        note = NOTE if ALERT in str(row.get("flags") or "").split() else None
        items.append({**tasks[one.item], "item": key, "task": one.item, "content_note": note, "retired_because": None})
        turns = [
            {"speaker": SPEAKERS.get(turn.get("by", ""), turn["speaker"]), "text": words}
            for turn, words in zip(turns_from_json(row["turns"]), one.reviewed, strict=True)
        ]
        more = _attributes(one, row, own)
        responses.append({"response": key, "item": key, "source": one.source, "turns": turns_to_json(turns), **more})
        origins[key] = one.id
    return items, responses, origins


def _texts(first: StudyFolder, shown: Sequence[SharedText]) -> tuple[list[Row], list[Row], dict[str, int]]:
    """Each text as a response to its item, in random order, after the responses that the item has anyway."""
    written = {row["response"]: row for row in _rows(first.responses)}
    own = _own_ratings(first)
    used = {one.item for one in shown}
    items = [row for row in _rows(first.items) if row["item"] in used]
    responses = [row for row in written.values() if row["item"] in used and not _NAMES_RATERS & _given(row).keys()]
    origins = dict[str, int]()
    for number, one in enumerate(_shuffled(shown), 1):
        key = f"text-{number}"
        more = _attributes(one, written[one.key], own)
        responses.append({"response": key, "item": one.item, "source": one.source, "text": one.reviewed[0], **more})
        origins[key] = one.id
    return items, responses, origins


def _attributes(one: SharedText, row: Row, own: Mapping[str, Row]) -> Row:
    """What the analysis may use of a text: its counts, its condition, and how its rater rated it."""
    counts = {name: cell for name, cell in _given(row).items() if name not in {*RESPONSE_COLUMNS, *_NAMES_RATERS}}
    levels = {name: level for name, level in cell_of(one.condition).levels if name not in RESPONSE_COLUMNS}
    return {**counts, **levels, **own.get(one.key, {})}


def _own_ratings(first: StudyFolder) -> dict[str, Row]:
    """The numbers with which each writer rated their own text, as `writer_QUESTION`."""
    rows = first.ratings
    rows = rows[rows["number"].notna() & rows["response"].notna() & rows["turn"].isna() & rows["exclude"].isna()]
    found: dict[str, Row] = {}
    for response, question, number in zip(rows["response"], rows["question"], rows["number"], strict=True):
        found.setdefault(response, {})[f"writer_{question}"] = f"{number:g}"
    return found


def _shuffled(texts: Sequence[SharedText]) -> list[SharedText]:
    """In an order that says nothing about the order in which they were written."""
    mixed = list(texts)
    secrets.SystemRandom().shuffle(mixed)
    return mixed


def _rows(frame: Any) -> Iterator[Row]:  # noqa: ANN401 - a data frame, which pages do not load
    return ({str(name): cell for name, cell in row.items()} for row in frame.to_dict("records"))


def _given(row: Row) -> Row:
    return {name: cell for name, cell in row.items() if cell is not None}


def _csv(rows: Sequence[Row], columns: Iterable[str]) -> bytes:
    """The rows as a file of a study folder."""
    names = dict.fromkeys([*columns, *(name for row in rows for name in row)])
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, names)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()
