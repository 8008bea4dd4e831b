"""Plan a study: what it takes, how precise it will be, and what would make it precise enough."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.rate_limits import count, forecast_limit
from app.accounts.session import SignedIn
from app.base.processes.side_process import SideProcessError
from app.base.rendering.pages import page
from app.base.rendering.words import minutes
from app.base.web.deps import Db
from app.base.web.errors import TooManyError
from app.protocol.allocation.human_sample import rated_by_people
from app.protocol.preregistration import SizePlan
from app.protocol.study import Protocol
from app.rating.arrival.expected_minutes import minutes_per_trial, other_minutes, rounded
from app.rating.recruitment.recruitment import FEES, PER_HOUR, symbol_of
from app.rating.seats.trials import list_items
from app.results.blinding import refuse_if_blinded
from app.results.making.task import RefusedError
from app.results.planning.effort import Rates, SizeSetting, data_with_size, effort
from app.studies.editor.protocol_edits import Change, get_draft, save_change
from app.studies.editor.sections import value_at, with_value
from app.studies.own_study import LeadAndStudy, Own, OwnForLong
from app.studies.protocols import get_protocol

if TYPE_CHECKING:
    from app.results.planning.forecast import Forecast

router = APIRouter()
DEFAULT_ITEMS = 40
MAX_ITEMS, MAX_PER_TRIAL, MAX_RATERS = 5000, 100, 5000
SDS = ("item", "item_source", "rater", "rater_source", "residual")
Text = Annotated[str, Query(max_length=20)]


@dataclass(frozen=True, slots=True)
class PlanForm:
    """The form as it was sent: everything is text, and what is empty takes its default."""

    texts: dict[str, str]

    def number(self, name: str, default: float | None, low: float, high: float) -> float | None:
        """The number in a field within its bounds; the default if it is empty or no number."""
        try:
            value = float(self.texts.get(name, "").replace(",", "."))
        except ValueError:
            return default
        return min(max(value, low), high) if value == value else default  # noqa: PLR0124 - not NaN


def plan_form(request: Request) -> PlanForm:
    """The fields in the address."""
    return PlanForm({name: value[:20] for name, value in request.query_params.items()})


Sent = Annotated[PlanForm, Depends(plan_form)]


@router.get("/studies/{slug}/plan")
def show_plan(request: Request, own: OwnForLong, form: Sent) -> Response:
    with request.app.state.begin() as db:
        protocol = get_protocol(db, own.study.id, own.study.protocol_version)
        items = rated_by_people(protocol, list_items(db, own.study.id))
        trial_minutes = minutes_per_trial(db, own.study.id, protocol)
    form = PlanForm({**_planned_before(protocol), **form.texts})
    n_items = int(form.number("items", len(items) or DEFAULT_ITEMS, 1, MAX_ITEMS) or 1)
    per_trial = int(form.number("per_trial", protocol.design.raters_per_trial, 1, MAX_PER_TRIAL) or 1)
    takes = effort(protocol, items, n_items, per_trial)
    rates = _rates(form, _usual_rates(protocol, takes.most_trials, trial_minutes))
    context: dict[str, Any] = {
        "rates": rates,
        "n_items": n_items,
        "per_trial": per_trial,
        "effort": takes,
        "minutes": f"{takes.minutes(rates):.0f}",
        "symbol": symbol_of(protocol.recruitment.currency),
        "texts": form.texts,
        "sds": SDS,
        "is_stated": any(form.texts.get(name) for name in (*SDS, "pilot")),
        "forecast": None,
        "problem": "",
    }
    if "forecast" in form.texts:
        if wait_s := count(request.app.state.begin, [forecast_limit(own.lead.id)]):
            raise TooManyError(f"There were too many forecasts. Try again in {minutes(wait_s)}.", retry_after_s=wait_s)
        context |= _forecast(request, own, protocol, form, n_items, per_trial)
        context |= _savings(
            context.get("forecast"), rates, context["symbol"], form.number("judge_cost", 0, 0, 1e9) or 0
        )
    return page(
        request, "results/planning/plan.html", lead=own.lead, study=own.study, labels=protocol.labels, **context
    )


@router.post("/studies/{slug}/plan/size")
def submit_size(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    setting: Annotated[SizeSetting, Form()],
    n: Annotated[int, Form(ge=1, le=MAX_PER_TRIAL)],
) -> Response:
    """Take the number of raters per trial, or of trials per rater, over into the design."""
    change = Change(lambda data: data.get("design"), partial(data_with_size, setting=setting, n=n))
    save_change(db, study, lead, get_draft(db, study).number, change)
    return RedirectResponse(request.app.url_path_for("show_recruitment", slug=study.slug), 303)


@router.post("/studies/{slug}/plan/kept")
def keep_plan(request: Request, db: Db, lead: SignedIn, study: Own, planned: Annotated[SizePlan, Form()]) -> Response:
    """Take a forecast's assumptions over into the protocol, from which the registration makes its plan."""
    path = "preregistration.plan"
    kept = planned.model_dump(exclude_none=True)
    change = Change(partial(value_at, path=path), partial(with_value, path=path, value=kept))
    save_change(db, study, lead, get_draft(db, study).number, change)
    return RedirectResponse(request.app.url_path_for("show_preregistration", slug=study.slug), 303)


def _planned_before(protocol: Protocol) -> dict[str, str]:
    """The fields as the study was planned before."""
    own = protocol.preregistration.plan or SizePlan()
    return {name: f"{value:g}" for name, value in own.model_dump(exclude_none=True).items()}


def _rates(form: PlanForm, usual: Rates) -> Rates:
    """Minutes per trial, other minutes, pay per hour and fee of the platform; the usual ones where a field is empty."""
    return Rates(
        form.number("minutes", usual.minutes_per_trial, 0.1, 240) or 0,
        form.number("other", usual.other_minutes, 0, 240) or 0,
        form.number("pay", usual.pay_per_hour, 0, 10_000) or 0,
        form.number("fee", usual.fee_percent, 0, 500) or 0,
    )


def _usual_rates(protocol: Protocol, n_trials: int, per_trial: float) -> Rates:
    """Time and pay as *Recruitment* says them; the platform is Prolific until another is chosen."""
    recruitment, other = protocol.recruitment, round(other_minutes(protocol), 1)
    total = recruitment.minutes or rounded(n_trials * per_trial + other)
    _, advised = PER_HOUR.get(recruitment.currency, PER_HOUR["USD"])
    pay = recruitment.per_hour(total)
    each = max((total - other) / n_trials, 0.1) if n_trials else per_trial
    platform = recruitment.platform or ("link" if protocol.design.links == "personal" else "prolific")
    return Rates(each, other, advised if pay is None else pay, FEES.get(platform, 0.0))


def _forecast(
    request: Request,
    own: LeadAndStudy,
    protocol: Protocol,
    form: PlanForm,
    n_items: int,
    per_trial: int,
) -> dict[str, Any]:
    """The simulated part of the page, or why there is none."""
    from app.analysis.document.design_words import test_words
    from app.analysis.statistic import declared
    from app.results.planning.forecast import Wish, forecast_of

    stated = {name: form.number(name, None, 0, 1000) for name in SDS}
    stated |= {name: form.number(name, None, -1000, 1000) for name in ("difference", "mean")}
    correlation = form.number("correlation", None, -1, 1)
    n_raters = form.number("n_raters", None, 2, MAX_RATERS)
    wish = Wish(
        n_items,
        per_trial,
        form.number("width", None, 0.001, 1000),
        stated,
        correlation,
        None if n_raters is None else int(n_raters),
        form.number("attrition", 0.0, 0, 0.9) or 0.0,
        form.number("power", 0.8, 0.5, 0.99) or 0.8,
    )
    has_pilot = bool(form.texts.get("pilot"))
    if has_pilot:
        refuse_if_blinded(own.study, protocol)
    try:
        found = forecast_of(request.app.state.making, own.study, wish, has_pilot=has_pilot)
    except RefusedError as error:
        return {"problem": str(error)}
    except SideProcessError:
        return {"problem": "This size takes too long to simulate here. Try fewer items or raters."}
    curve = {theme: base64.b64encode(svg.encode()).decode() for theme, svg in found.curve.items()}
    other = test_words(found.other_test) if found.other_test else ""
    return {"forecast": found, "curve": curve, "statistic": declared(found.statistic).label, "other_test": other}


def _savings(found: Forecast | None, rates: Rates, symbol: str, judge_cost: float) -> dict[str, Any]:
    """What a judge saves, as sentences and tables; nothing if no judge was planned."""
    from app.results.planning.judge_savings import Prices, needed_table, savings_sentences, width_table

    if found is None or found.savings is None:
        return {}
    prices = Prices(rates, symbol, judge_cost)
    return {
        "saved": [*savings_sentences(found.savings, prices)],
        "needed_table": needed_table(found.savings, prices),
        "width_table": width_table(found.savings, prices),
    }
