"""The demo: a ready study, raters who are simulated and marked so, and a lead who can look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions import lead_access as access
from app.actions.simulation.simulate import simulate
from app.actions.studies.life_cycle import open_study
from app.storage.leads import leads
from app.storage.results.coverage import count_simulated
from app.storage.studies.load import load_study
from app.storage.studies.studies import get_study

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.analysis.data.study_folder import StudyFolder
    from app.storage.database.engine import Begin

SLUG = "demo"
EMAIL = "demo@attune.example"
# Of 72 trials with 3 places each these take two thirds; the rest is left for people who try it.
N_SIMULATED = 12
SEED = 20_261_121


def demo_link(db: Connection) -> str:
    """The token of a link that signs in the demo's lead, who is made if need be."""
    lead = leads.get_lead(db, EMAIL) or access.add_lead(db, EMAIL)
    return access.new_link(db, lead)


def is_made(db: Connection) -> bool:
    """Whether the demo study is there with all its simulated raters. One that its lead changed is left as it is."""
    study = get_study(db, SLUG)
    if study is None:
        return False
    return study.status != "open" or not study.is_demo or count_simulated(db, study.id) >= N_SIMULATED


def open_demo(begin: Begin, folder: StudyFolder) -> None:
    """Load the study and open it, unless it is there: both or neither."""
    with begin() as db:
        if get_study(db, SLUG) is None:
            lead = leads.get_lead(db, EMAIL) or access.add_lead(db, EMAIL)
            load_study(db, folder, lead.id, is_demo=True)
            open_study(db, SLUG)


def simulate_demo(begin: Begin) -> None:
    """Let the simulated raters rate, by the code that people's answers go through; who is through already stays so."""
    simulate(begin, SLUG, n_raters=N_SIMULATED, seed=SEED)
