"""Fill a database with the demo study; `DemoMaker` runs this command in a separate process."""

from __future__ import annotations

import sys
from pathlib import Path

from app.base.database.engine import make_engine, transactions
from app.cli.demo_maker import OPEN
from app.rating.simulation.make_demo import open_demo, simulate_demo
from app.studies.folder.read import read_folder

FOLDER = Path(__file__).resolve().parents[1] / "demo" / "study"


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
