"""The lead's pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.web.lead import (
    design,
    home,
    items,
    new_study,
    plan,
    settings,
    sheet_ratings,
    study,
    study_list,
    texts,
    webhook_page,
)
from app.web.lead.accounts import account, invitations, openid, people, sign_in, tokens
from app.web.lead.models import generated, generated_texts, judges, run_rows
from app.web.lead.recruitment import invited_raters, messages, platform_files, prolific, raters
from app.web.lead.results import charts, exports, results, snapshots
from app.web.lead.rights import right_of

if TYPE_CHECKING:
    from fastapi import FastAPI


# In the order in which addresses are matched.
SCREENS = (
    home,
    openid,
    sign_in,
    account,
    invitations,
    study_list,
    study,
    design,
    items,
    raters,
    people,
    settings,
    judges,
    generated,
    generated_texts,
    run_rows,
    tokens,
    webhook_page,
    plan,
    invited_raters,
    messages,
    platform_files,
    prolific,
    results,
    charts,
    exports,
    snapshots,
)


def include(app: FastAPI, *, max_upload_bytes: int) -> None:
    """Add the lead's routers. Those that accept files have their own limit and precede those with a study's slug."""
    app.state.pages.environment.globals["right_of"] = right_of
    for screen in (new_study, texts, sheet_ratings):
        app.include_router(screen.router, max_body_size=max_upload_bytes)
    for screen in SCREENS:
        app.include_router(screen.router)
