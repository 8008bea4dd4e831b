"""Recruitment: who comes, what they are paid, their links and codes, and what the form of their platform asks for."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, get_args

from fastapi import APIRouter, File, Form, Request, UploadFile
from starlette.responses import RedirectResponse, Response

from app.accounts.leads import Lead
from app.accounts.session import SignedIn
from app.base.problem import InvalidInputError
from app.base.rendering.pages import is_htmx
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError
from app.base.web.file_responses import csv_file
from app.base.web.links import base_address
from app.protocol.study import Protocol
from app.protocol.study_parts import Currency
from app.protocol.waves import Wave, numbered, wave_label
from app.rating.arrival.arrivals import get_own_arrival_study
from app.rating.arrival.expected_minutes import planned_minutes
from app.rating.arrival.invitations import InviteError, invite_raters
from app.rating.life_cycle import get_needs
from app.rating.rater_path import today
from app.rating.recruitment.invited_people import invited_people
from app.rating.recruitment.recruitment import CHANNELS, PERSONAL, channel_of, pay_in_words, platform_form, with_channel
from app.rating.recruitment.wave_returns import WaveCounts, count_returns
from app.studies.audit import record_act
from app.studies.editor.controls import text_of
from app.studies.editor.design_page import DesignForm, design_page, placed, save_section
from app.studies.editor.named_choices import with_choices
from app.studies.editor.protocol_edits import Edit, get_draft
from app.studies.editor.sections import BY_KEY, ENDINGS, section_controls, value_at, with_section
from app.studies.editor.shown_draft import shown_protocol
from app.studies.own_study import Own, own_study
from app.studies.protocols import get_protocol
from app.studies.rater_links import rater_links
from app.studies.studies import StudyRow

router = APIRouter()
SECTION = BY_KEY["recruitment"]
CURRENCIES = get_args(Currency)
_KEYS = {channel.key for channel in CHANNELS}


@router.get("/studies/{slug}/design/recruitment")
def show_recruitment(request: Request, db: Db, lead: SignedIn, study: Own, add: str = "") -> Response:
    return _page(request, db, lead, study, get_draft(db, study), add=add)


@router.post("/studies/{slug}/design/recruitment")
def submit_recruitment(request: Request, db: Db, lead: SignedIn, study: Own, form: DesignForm) -> Response:
    def apply(data: dict[str, Any]) -> dict[str, Any]:
        data = with_section(SECTION, data, form.fields)
        return with_channel(data, form.target) if form.do == "channel" and form.target in _KEYS else data

    edit = save_section(request, db, lead, study, form, SECTION, apply)
    if isinstance(edit, Response):
        return edit
    if is_htmx(request):
        return _page(request, db, lead, own_study(request, study.slug, lead, db), edit)
    there = f"?add={form.target}#{form.target}" if form.do == "add" else ""
    if form.do == "channel" and form.target in _KEYS:
        there = f"#channel-{form.target}"
    return RedirectResponse(f"{request.url.path}{there}", 303)


@router.post("/studies/{slug}/raters/invitations")
def submit_rater_invitations(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    people: Annotated[str, Form()] = "",
    pool: Annotated[str, Form(max_length=200)] = "",
    file: Annotated[UploadFile | None, File()] = None,
) -> Response:
    """Personal links, one by one or for a whole list, as a file for a mail merge."""
    arrival_study = get_own_arrival_study(db, study.slug)
    if arrival_study is None:
        raise NotFoundError
    edit = get_draft(db, study)
    content = file.file.read() if file is not None and file.filename else b""
    try:
        text = content.decode("utf-8-sig") if content else people
        found = invited_people(text)
        links = dict(invite_raters(db, arrival_study, [row[0] for row in found.rows], pool or None))
    except UnicodeDecodeError:
        problem = "The file is not UTF-8 text. Save it as CSV (UTF-8)."
        return _page(request, db, lead, study, edit, problem=problem)
    except InvalidInputError as error:
        return _page(request, db, lead, study, edit, problem=error.problems[0].sentence(), people=people)
    except InviteError as error:
        return _page(request, db, lead, study, edit, problem=str(error), people=people)
    record_act(db, lead, study, "raters invited", n_raters=len(links), pool=pool)
    base = base_address(request)
    addresses = {key: f"{base}/s/{study.rater_token}?invite={token}" for key, token in links.items()}
    if len(addresses) == 1:
        return _page(request, db, lead, study, edit, link=next(iter(addresses.items())))
    rows = [[*row, addresses[row[0]]] for row in found.rows]
    return csv_file(f"{study.slug}-invitations.csv", [*found.columns, "link"], rows)


def _page(
    request: Request,
    db: Db,
    lead: Lead,
    study: StudyRow,
    edit: Edit,
    *,
    add: str = "",
    **invited: Any,  # noqa: ANN401 - what the form of personal links says
) -> Response:
    protocol = shown_protocol(edit, get_protocol(db, study.id, study.protocol_version))
    needs = get_needs(db, study.id, protocol)
    n_trials = max((group.n_each for group in needs.groups), default=0)
    minutes = planned_minutes(db, study.id, protocol, n_trials)
    channel = channel_of(protocol)
    found = rater_links(base_address(request), study.rater_token, platform=protocol.recruitment.platform)
    links = {one.platform: one for one in found}
    address = links[channel].address if channel in links else ""
    form = platform_form(channel, protocol, address, needs.n_raters, n_trials, minutes)
    shown = (one for one in section_controls(SECTION, edit.data, add=add) if one.path in ENDINGS)
    endings = [replace(with_choices(one, edit.data), is_set=True) for one in shown]
    return design_page(
        request,
        "rating/recruitment/recruitment.html",
        lead,
        study,
        edit,
        SECTION.key,
        status=422 if invited.get("problem") else 200,
        section=SECTION,
        channels=CHANNELS,
        channel=channel,
        is_personal=channel == PERSONAL,
        chosen=links.get(channel),
        others=[] if channel == PERSONAL else [one for one in links.values() if one.platform != channel],
        typed={name: text_of(value_at(edit.data, f"recruitment.{name}")) for name in ("pay", "currency", "minutes")},
        currencies=CURRENCIES,
        form=form,
        pay=pay_in_words(protocol, minutes),
        minutes=minutes,
        endings=endings,
        waves=_waves(request, db, study, protocol, channel),
        redrawn=(),
        placed=placed(edit, section_controls(SECTION, edit.data), SECTION),
        pools=list(protocol.design.pools),
        **{"problem": "", "people": "", "link": None, **invited},
    )


@dataclass(frozen=True, slots=True)
class ShownWave:
    """A later wave: its link, empty with personal links; what to tell raters; and how many are due, if opened."""

    number: int
    label: str
    link: str
    declared: Wave
    counts: WaveCounts | None


def _waves(request: Request, db: Db, study: StudyRow, protocol: Protocol, channel: str) -> list[ShownWave]:
    published = get_protocol(db, study.id, study.protocol_version)
    counts = {one.number: one for one in count_returns(db, study.id, published, today())} if study.opened_at else {}
    shown = []
    for number, wave in numbered(protocol.waves):
        found = rater_links(
            base_address(request), study.rater_token, platform=protocol.recruitment.platform, wave=number
        )
        link = next((one.address for one in found if one.platform == channel), "")
        shown.append(ShownWave(number, wave_label(protocol.waves, number), link, wave, counts.get(number)))
    return shown
