"""The demo study: its slug, its lead, and whether it is complete."""

from sqlalchemy import Connection

from app.accounts import lead_access as access
from app.accounts import leads
from app.studies.coverage import count_simulated
from app.studies.studies import get_study

SLUG = "demo"
EMAIL = "demo@attune.example"
# They take two thirds of the 216 seats (72 trials with 3 each). The rest is left for people who try the demo.
N_SIMULATED = 12


def demo_link(db: Connection) -> str:
    """The token of a link that signs in the demo's lead, who is created if needed."""
    lead = leads.get_lead(db, EMAIL) or access.add_lead(db, EMAIL)
    return access.new_link(db, lead)


def is_made(db: Connection) -> bool:
    """Whether the demo study exists with all its simulated raters. One that its lead has changed counts as complete."""
    study = get_study(db, SLUG)
    if study is None:
        return False
    return study.status != "open" or not study.is_demo or count_simulated(db, study.id) >= N_SIMULATED
