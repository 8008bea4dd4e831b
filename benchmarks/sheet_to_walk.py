"""How long a lead waits from a dropped spreadsheet to a rater's page with its texts, in a server that has just started.

python -m benchmarks.sheet_to_walk [--times 5]. The sheet has 30 posts with three replies of up to 340 words each, an
empty cell and a duplicate row. The database is the one given by DATABASE_URL, or a temporary one.
"""

import argparse
import os
import time
from collections.abc import Iterator
from statistics import median

import httpx

from app.accounts.leads import record_lead, record_lead_session
from app.base.database.engine import make_engine
from benchmarks.load_folder import database
from benchmarks.results_pages import TOKEN
from benchmarks.serving import attune_process
from tests.studies.web.test_spreadsheet import awkward, excel

# What only the page of the first trial shows: a text of the sheet.
OF_THE_SHEET = "Ich fühle mich müde."


def steps(client: httpx.Client) -> Iterator[str]:
    """The requests that the browser sends, one after the other; yields what is on the screen after each."""
    sheet = client.post("/studies/new/sheets", files={"sheet": ("posts.xlsx", excel(awkward()))})
    assert "What do you want to ask?" in sheet.text, sheet.status_code
    yield "columns, rows to look at, goals"
    questions = client.post(str(sheet.url), data={"template": "ayers-pair"})
    assert questions.url.path.endswith("/design/questions"), questions.status_code
    assert OF_THE_SHEET in questions.text
    yield "the study, and its page as raters see it"
    study = questions.url.path.removesuffix("/design/questions")
    consent = client.post(f"{study}/walk-through")
    address = str(consent.url).rpartition("/")[0]
    client.post(f"{address}/consent", data={"consent": "agree"})
    trial = client.post(f"{address}/start")
    assert OF_THE_SHEET in trial.text, (trial.status_code, trial.url)
    yield "walk-through: the first trial"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="servers that are started, one after the other")
    asked = parser.parse_args()
    seconds: dict[str, list[float]] = {}
    with database() as url:
        with make_engine(url).begin() as db:
            lead = record_lead(db, "lead@example.org", None)
            assert lead
            record_lead_session(db, lead.id, TOKEN)
        for _ in range(asked.times):
            with (
                attune_process(url, 1) as served,
                httpx.Client(
                    base_url=served.address, headers={"Origin": served.address}, timeout=120, follow_redirects=True
                ) as client,
            ):
                client.cookies.set("attune-lead", TOKEN)
                client.get("/studies")
                begun = time.perf_counter()
                for shown in steps(client):
                    seconds.setdefault(shown, []).append(time.perf_counter() - begun)
    for shown, found in seconds.items():
        print(f"{shown:<44} {median(found):6.2f} s after the drop (slowest {max(found):.2f})")
    print(f"load on the machine: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
