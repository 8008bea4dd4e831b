"""Fill a database with the demo study; `DemoMaker` runs this command in a separate process."""

import sys
from pathlib import Path

from app.accounts import lead_access as access
from app.accounts import leads
from app.analysis.data.study_folder import StudyFolder
from app.base.database.engine import Begin, make_engine, transactions
from app.cli.demo_maker import OPEN
from app.rating.life_cycle import open_study
from app.rating.simulation.demo import EMAIL, N_SIMULATED, SLUG
from app.rating.simulation.simulate import simulate
from app.studies.folder.read import read_folder
from app.studies.load import load_study
from app.studies.studies import get_study

FOLDER = Path(__file__).resolve().parents[1] / "demo" / "study"
SEED = 20_261_121


def make_demo() -> None:
    """Fill a database with the demo study.

    It reads the study first, then the address of a database from standard input, and fills it.
    """
    folder = read_folder(FOLDER)
    url = sys.stdin.readline().strip()
    if not url:
        return
    begin = transactions(make_engine(url, n_connections=1))
    open_demo(begin, folder)
    sys.stdout.write(f"{OPEN}\n")
    sys.stdout.flush()
    simulate_demo(begin)


def open_demo(begin: Begin, folder: StudyFolder) -> None:
    """Load the study and open it in one transaction, unless it already exists."""
    with begin() as db:
        if get_study(db, SLUG) is None:
            lead = leads.get_lead(db, EMAIL) or access.add_lead(db, EMAIL)
            load_study(db, folder, lead.id, is_demo=True)
            open_study(db, SLUG)


def simulate_demo(begin: Begin) -> None:
    """Let the simulated raters rate, with the code that handles people's answers.

    Raters who are already done are not changed.
    """
    simulate(begin, SLUG, n_raters=N_SIMULATED, seed=SEED)
