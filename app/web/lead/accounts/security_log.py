"""Security events in the log: who signs in or out, fails to, or changes a password.

Leads are named by their number and the network address that they came from, never by their e-mail address. Raters do
not sign in, and no address of theirs is logged.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from app.web.cookies import address_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from app.storage.leads.leads import Lead

log = logging.getLogger("attune.security")


def log_event(request: Request, event: str, lead: Lead | None = None) -> None:
    """Log an event of this lead, or of a visitor without an account."""
    who = f"lead {lead.id}" if lead else "no account"
    log.info("%s: %s, from %s", event, who, address_of(request))
