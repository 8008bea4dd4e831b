"""Paste your methods: a text is read into guesses, and each is accepted, changed or left out before it is used."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.accounts.leads import Lead
from app.accounts.session import SignedIn
from app.base.web.deps import Db
from app.base.words import typed
from app.llm.client.servers import ModelServer
from app.llm.methods.model_reader import ReadingError, read_by_model
from app.llm.runs.run_rows import servers
from app.studies.editor.design_page import DesignForm, SentForm, design_page
from app.studies.editor.nodes import Data
from app.studies.editor.protocol_edits import Change, Edit, get_draft, save_change
from app.studies.methods.guesses import KINDS, Guess, GuessError, in_order, is_there, names_in, title_of, with_guess
from app.studies.methods.methods_text import MethodsError
from app.studies.methods.rules import Reading, missing_in, read_methods
from app.studies.own_study import Own
from app.studies.studies import StudyRow

router = APIRouter()
_TEMPLATE = "llm/methods.html"
_MOST = 200


@dataclass(frozen=True, slots=True)
class Decided:
    """What the lead decided: the guesses to use, and those that are still open."""

    accepted: tuple[Guess, ...]
    undecided: tuple[Guess, ...]


@router.get("/studies/{slug}/methods")
def show_methods(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    return _page(request, lead, study, get_draft(db, study))


@router.post("/studies/{slug}/methods")
def submit_methods(request: Request, db: Db, lead: SignedIn, study: Own, form: DesignForm) -> Response:
    draft, text = get_draft(db, study), _value(form, "text")
    if form.do == "use":
        return _used(request, db, lead, study, form)
    try:
        reading = read_methods(text)
    except MethodsError as error:
        return _page(request, lead, study, draft, text=text, problem=str(error), status=422)
    said = ""
    if place := _place(request, _value(form, "place")):
        try:
            by_model = read_by_model(*place, text)
            guesses = in_order([*reading.guesses, *by_model])
            reading = Reading(tuple(guesses), reading.said, tuple(missing_in(guesses)))
        except ReadingError as error:
            said = f"{place[1]} has not read the text: {error} What follows was found by rules."
    new = [guess for guess in reading.guesses if not is_there(draft.data, guess)]
    return _page(
        request,
        lead,
        study,
        draft,
        text=text,
        guesses=new,
        reading=reading,
        note=said,
        n_there=len(reading.guesses) - len(new),
    )


def _used(request: Request, db: Db, lead: Lead, study: StudyRow, form: SentForm) -> Response:
    """Use what was accepted. What cannot be used stays, with the reason, and so does what is undecided."""
    decided, used, refused = _decided(form), list[Guess](), list[Guess]()

    def apply(data: Data) -> Data:
        used.clear()
        refused.clear()
        for guess in in_order(decided.accepted):
            try:
                data = with_guess(data, guess)
            except GuessError as error:
                refused.append(replace(guess, problem=str(error)))
            else:
                used.append(guess)
        return data

    edit = save_change(db, study, lead, form.number, Change(lambda _: None, apply))
    open_ = in_order([*refused, *decided.undecided])
    return _page(request, lead, study, edit, text=_value(form, "text"), guesses=open_, added=list(map(title_of, used)))


def _decided(form: SentForm) -> Decided:
    accepted, undecided = list[Guess](), list[Guess]()
    for number in range(_MOST):
        kind, decision = _value(form, f"guess-{number}"), _value(form, f"use-{number}")
        if kind not in KINDS or decision == "leave":
            continue
        values = {field.name: _value(form, f"{field.name}-{number}") for field in KINDS[kind].fields}
        by = "model" if _value(form, f"by-{number}") == "model" else "rules"
        guess = Guess(kind, _value(form, f"sentence-{number}"), values, by)
        (accepted if decision == "accept" else undecided).append(guess)
    return Decided(tuple(accepted), tuple(undecided))


def _place(request: Request, place: str) -> tuple[ModelServer, str] | None:
    """The server and the model that were chosen, by their numbers in the list."""
    number, _, model = place.partition(":")
    for nth, server in enumerate(servers(request)):
        if str(nth) == number and model in server.models:
            return server, model
    return None


def _value(form: SentForm, name: str) -> str:
    return typed(next(iter(form.fields.get(name, ())), ""))


def _page(  # noqa: PLR0913 - what one of its forms may say
    request: Request,
    lead: Lead,
    study: StudyRow,
    edit: Edit,
    *,
    text: str = "",
    guesses: Sequence[Guess] = (),
    reading: Reading | None = None,
    added: Sequence[str] = (),
    problem: str = "",
    note: str = "",
    n_there: int = 0,
    status: int = 200,
) -> Response:
    return design_page(
        request,
        _TEMPLATE,
        lead,
        study,
        edit,
        "methods",
        status=status,
        text=text,
        guesses=guesses,
        reading=reading,
        kinds=KINDS,
        added=added,
        problem=problem,
        note=note,
        n_there=n_there,
        servers=servers(request),
        names=names_in(edit.data, guesses),
    )
