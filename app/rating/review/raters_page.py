"""Raters, one row each: progress, flags, whether their answers are included, and decisions for the platform."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from pydantic import BaseModel, BeforeValidator, Field
from starlette.responses import RedirectResponse, Response

from app.accounts.leads import Lead
from app.accounts.session import SignedIn
from app.base.problem import InvalidInputError
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError, PageError
from app.base.web.file_responses import csv_file, data_file
from app.protocol.questions.registry import PreferenceQuestion
from app.protocol.rater_flags import compared_question, side_question
from app.rating.arrival.invitations import revoke_invites
from app.rating.review.answers_by_rater import Compared, list_typing
from app.rating.review.exclusions import get_rater_key, list_identities, record_exclusion, release_seats
from app.rating.review.known_evidence import KNOWN_EVIDENCE
from app.rating.review.rater_review import ReviewedRater, review
from app.rating.review.rater_rows import list_rater_rows
from app.rating.steps.messages import OPEN_STATES
from app.rating.withdrawal.rater_data import get_rater_data
from app.rating.withdrawal.withdraw import delete_simulated
from app.studies.audit import record_act
from app.studies.creation.upload_form import upload_reader
from app.studies.imports.texts_page import MAX_PROBLEMS, Sent
from app.studies.own_study import Own
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

# What the page of raters shows: the filter, the search, and which part of each group.

GROUPS = (
    ("people", "People"),
    ("imported", "Imported raters"),
    ("models", "Model judges"),
    ("simulated", "Simulated raters"),
)
FILTERS = (
    ("", "All raters"),
    ("flagged", "Flagged"),
    ("finished", "Finished"),
    ("unfinished", "Not finished"),
    ("excluded", "Excluded"),
)
# A page with this many rows has less than 100 kB.
MAX_ROWS = 40
Skipped = Annotated[int, Field(ge=0, le=10_000_000)]


class RaterView(BaseModel):
    """The address of a view. `people`, `imported`, `models`, `simulated`: number of raters to skip in this group."""

    show: str = Field("", max_length=20)
    words: str = Field("", max_length=200)
    people: Skipped = 0
    imported: Skipped = 0
    models: Skipped = 0
    simulated: Skipped = 0

    def query(self, **changes: str | int) -> str:
        """The query string of this view with these changes, with question mark; empty for the first view."""
        found = {name: value for name, value in {**self.model_dump(), **changes}.items() if value}
        return f"?{urlencode(found)}" if found else ""

    def filtered(self, show: str) -> str:
        """The query string of another filter, from the first rater on."""
        return RaterView(show=show, words=self.words).query()

    def finds(self, one: ReviewedRater) -> bool:
        """Whether the pseudonym or the pool contains what is searched for."""
        words = self.words.strip().casefold()
        return words in one.row.key.casefold() or words in (one.row.pool or "").casefold()


Asked = Annotated[RaterView, Query()]


@dataclass(frozen=True, slots=True)
class RaterGroup:
    """The raters of one group that are shown, of `n` in all; `before` and `after`: addresses of the other parts."""

    key: str
    label: str
    rows: Sequence[ReviewedRater]
    n: int
    first: int
    before: str | None
    after: str | None


def groups_of(shown: Sequence[ReviewedRater], view: RaterView) -> list[RaterGroup]:
    """The groups that have raters, flagged ones first and those without a session last, from the view's rater on."""
    found = []
    for key, label in GROUPS:
        of_group = (one for one in shown if one.group == key)
        rows = sorted(of_group, key=lambda one: (not one.flags, one.row.state is None))
        # The last part, if raters have left the group since the address was made.
        first = min(getattr(view, key), max(0, len(rows) - 1) // MAX_ROWS * MAX_ROWS)
        end = first + MAX_ROWS
        before = view.query(**{key: max(0, first - MAX_ROWS)}) if first else None
        after = view.query(**{key: end}) if end < len(rows) else None
        if rows:
            found.append(RaterGroup(key, label, rows[first:end], len(rows), first, before, after))
    return found


def is_shown(one: ReviewedRater, show: str) -> bool:
    """Whether a filter lists the rater; an unknown filter lists all."""
    match show:
        case "flagged":
            return bool(one.flags)
        case "finished":
            return one.row.state == "finished"
        case "unfinished":
            return one.row.state not in {None, "finished"}
        case "excluded":
            return one.row.is_excluded
        case _:
            return True


router = APIRouter()
# The platforms on which raters are approved or given credit.
SUGGESTIONS_ON = {"prolific": "Prolific", "mturk": "Mechanical Turk", "sona": "SONA"}
# In euros and cents as in dollars and cents: 1,50 and 1.50.
Amount = Annotated[
    float, BeforeValidator(lambda text: str(text).replace(",", ".")), Form(ge=0.01, le=10_000, allow_inf_nan=False)
]


@router.get("/studies/{slug}/raters")
def show_raters(request: Request, db: Db, lead: SignedIn, study: Own, view: Asked) -> Response:
    return _page(request, db, lead, study, view)


@router.post("/studies/{slug}/raters/{rater}/exclusion")
def submit_exclusion(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    rater: int,
    view: Asked,
    reason: Annotated[str, Form(max_length=500)] = "",
    *,
    exclude: Annotated[bool, Form()] = False,
) -> Response:
    if not reason.strip():
        raise PageError("Give a reason: it is kept with the decision and shown in the downloads.")
    key, words = _key(db, study, rater), reason.strip()
    record_exclusion(db, study.id, rater, is_excluded=exclude, reason=words, lead_id=lead.id)
    record_act(db, lead, study, "rater excluded" if exclude else "rater included", rater=key, reason=words)
    return _back(request, study, rater, view)


@router.post("/studies/{slug}/raters/{rater}/release")
def submit_release(request: Request, db: Db, lead: SignedIn, study: Own, rater: int, view: Asked) -> Response:
    key = _key(db, study, rater)
    n_released = release_seats(db, study.id, rater)
    record_act(db, lead, study, "places released", rater=key, n_trials=n_released)
    return _back(request, study, rater, view)


@router.post("/studies/{slug}/raters/{rater}/link/revocation")
def submit_link_revocation(request: Request, db: Db, lead: SignedIn, study: Own, rater: int, view: Asked) -> Response:
    key = _key(db, study, rater)
    revoke_invites(db, study.id, rater)
    record_act(db, lead, study, "personal link revoked", rater=key)
    return _back(request, study, rater, view)


@router.post("/studies/{slug}/raters/simulated/deletion")
def submit_simulated_deletion(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    record_act(db, lead, study, "simulated raters deleted", n_raters=delete_simulated(db, study.id))
    return RedirectResponse(request.app.url_path_for("show_raters", slug=study.slug), status_code=303)


@router.post("/studies/{slug}/raters/{rater}/identity")
def show_identity(request: Request, db: Db, lead: SignedIn, study: Own, rater: int, view: Asked) -> Response:
    found = list_identities(db, study.id, rater)
    if not found:
        raise NotFoundError
    record_act(db, lead, study, "participant ID shown", rater=found[0][0])
    return _page(request, db, lead, study, view, identity=found[0])


@router.post("/studies/{slug}/raters/{rater}/data.json")
def export_rater_data(db: Db, lead: SignedIn, study: Own, rater: int) -> Response:
    key = _key(db, study, rater)
    record_act(db, lead, study, "data of a rater downloaded", rater=key)
    return data_file(f"{study.slug}-rater-data.json", get_rater_data(db, study.id, rater))


@router.post("/studies/{slug}/raters/prolific.csv")
def export_prolific(db: Db, lead: SignedIn, study: Own) -> Response:
    ids = {key: platform_id for key, platform, platform_id in list_identities(db, study.id) if platform == "prolific"}
    rows = [(ids[one.row.key], *one.suggestion) for one in reviewed_raters(db, study) if one.row.key in ids]
    record_act(db, lead, study, "Prolific decisions downloaded", n_raters=len(rows))
    return csv_file(f"{study.slug}-prolific.csv", ("participant_id", "suggestion", "reason"), rows)


@router.post("/studies/{slug}/raters/bonus.csv")
def export_bonus(db: Db, lead: SignedIn, study: Own, amount: Amount = 1.0) -> Response:
    ids = {key: platform_id for key, platform, platform_id in list_identities(db, study.id) if platform == "prolific"}
    paid = [one for one in reviewed_raters(db, study) if one.row.key in ids and one.suggestion[0] == "approve"]
    rows = [(ids[one.row.key], f"{amount:.2f}") for one in paid]
    record_act(db, lead, study, "bonus file downloaded", n_raters=len(rows), amount=amount)
    return csv_file(f"{study.slug}-bonus.csv", ("participant_id", "amount"), rows)


@router.post("/studies/{slug}/raters/demographics")
def submit_demographics(request: Request, sent: Sent) -> Response:
    """Store what Prolific's file says about raters; it is read outside any transaction."""
    from app.rating.prolific.demographics import read_demographics, store_demographics

    own, begin = sent.own, request.app.state.begin
    try:
        found = upload_reader(request).read(read_demographics, (sent.file_name or "upload", sent.content))
    except InvalidInputError as error:
        problems = [one.sentence() for one in error.problems[:MAX_PROBLEMS]]
        with begin() as db:
            return _page(request, db, own.lead, own.study, RaterView(), problems=problems)
    with begin() as db:
        stored = store_demographics(db, own.study.id, found)
        record_act(db, own.lead, own.study, "demographic data stored", n_raters=stored.n_raters)
        return _page(request, db, own.lead, own.study, RaterView(), stored=stored.sentences)


def _key(db: Db, study: StudyRow, rater: int) -> str:
    key = get_rater_key(db, study.id, rater)
    if key is None:
        raise NotFoundError
    return key


def reviewed_raters(db: Db, study: StudyRow) -> list[ReviewedRater]:
    """All raters of a study, with their flags and suggested actions."""
    protocol = get_protocol(db, study.id, study.protocol_version)
    compared, sides = compared_question(protocol), side_question(protocol)
    asked = Compared(compared.key if compared else "", sides.key if sides else "")
    evidence = KNOWN_EVIDENCE.of(db, study.id, asked)
    typed = [one.key for one in protocol.questions if one.records_typing]
    typing = list_typing(db, study.id, typed) if typed else {}
    rows = list_rater_rows(db, study.id, [check.key for check in protocol.checks.comprehension])
    return review(protocol, rows, evidence, typing)


def _back(request: Request, study: StudyRow, rater: int, view: RaterView) -> Response:
    address = request.app.url_path_for("show_raters", slug=study.slug)
    return RedirectResponse(f"{address}{view.query()}#rater-{rater}", status_code=303)


def _page(
    request: Request,
    db: Db,
    lead: Lead,
    study: StudyRow,
    view: RaterView,
    *,
    identity: tuple[str, str, str] | None = None,
    stored: str = "",
    problems: Sequence[str] = (),
) -> Response:
    reviewed = reviewed_raters(db, study)
    found = [one for one in reviewed if view.finds(one)]
    protocol = get_protocol(db, study.id, study.protocol_version)
    compared = compared_question(protocol) or side_question(protocol)
    counts = {key: sum(is_shown(one, key) for one in found) for key, _ in FILTERS}
    return page(
        request,
        "rating/review/raters.html",
        status=422 if problems else 200,
        lead=lead,
        study=study,
        groups=groups_of([one for one in found if is_shown(one, view.show)], view),
        n_all=len(reviewed),
        filters=FILTERS,
        counts=counts,
        view=view,
        compared=protocol.labels.question(compared.key) if compared else "",
        compared_answers="choices" if isinstance(compared, PreferenceQuestion) else "ratings",
        identity=identity,
        stored=stored,
        problems=problems,
        completion_code=protocol.completion.code,
        writing=protocol.writing and protocol.writing.words,
        open_states=OPEN_STATES,
        suggestion_words=SUGGESTIONS_ON,
        platforms={one.row.platform for one in reviewed},
    )
