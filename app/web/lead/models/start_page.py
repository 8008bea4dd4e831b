"""The page with the form that starts a run of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.web.lead.models.run_rows import servers
from app.web.rendering.pages import page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapi import Request
    from starlette.responses import Response

    from app.storage.leads.leads import Lead
    from app.storage.studies.studies import StudyRow
    from app.web.lead.models.start_form import StartForm


def start_page(
    template: str,
    request: Request,
    lead: Lead,
    study: StudyRow,
    form: StartForm,
    *,
    estimated: str = "",
    problems: Sequence[str] = (),
) -> Response:
    """Show the form, with the estimate of what the run would use or the reasons why it cannot be started."""
    return page(
        request,
        template,
        status=422 if problems else 200,
        lead=lead,
        study=study,
        form=form,
        servers=servers(request),
        estimated=estimated,
        problems=problems,
    )
