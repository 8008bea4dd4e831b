"""The command table and the web process load libraries for results, charts and spreadsheets only when needed."""

import subprocess
import sys

from sqlalchemy import Engine

from app.rating.life_cycle import open_study
from tests.kit.builder import build_study, protocol_of

# Packages that take seconds or much memory to load, and are not needed to serve raters.
HEAVY = {
    "alembic",
    "altair",
    "krippendorff",
    "numpy",
    "openai",
    "openpyxl",
    "pandas",
    "scipy",
    "statsmodels",
    "vl_convert",
    "zxcvbn",
}
# What the web process imports to hand work over to side processes, which alone load the libraries for it.
HANDED_OVER = (
    "app.results.making.page",
    "app.results.charts.draw",
    "app.results.reports.looks",
)
RATE = """
import re, sys
from starlette.testclient import TestClient
from app.main import create_app
from app.base.database.engine import make_engine

app = create_app(make_engine(sys.argv[1]))
app.state.allowed_hosts = ["testserver"]
anna = TestClient(app, headers={"Origin": "http://testserver"})
anna.get("/s/study", params={"participant": "anna"})
page = anna.post("/s/study/start")
address = re.search(r'action="(/s/[^"/]+/rate/[^"]+)"', page.text)[1]
after = anna.post(address, data={"q0": "left", "q1r0": "4", "q1r1": "2"})
assert after.status_code == 200 and f'action="{address}"' not in after.text, after.text
"""


# What the libraries are loaded for: the work that is handed over, and the evidence about raters.
LATER = f"import {', '.join(HANDED_OVER)}"
EVIDENCE = "import app.rating.review.stored_evidence"
# Ends a step with a line of the packages, and the parts of `opentelemetry`, that are loaded by then.
SAY = """
print(*{name.partition('.')[0] for name in sys.modules if not name.startswith('opentelemetry.')},
      *(name for name in sys.modules if name.startswith('opentelemetry.')))
"""


def loaded_by(*steps: str, given: str = "") -> list[set[str]]:
    """Return what one process has loaded after each step; they must not print anything."""
    command = [sys.executable, "-c", "import sys\n" + "".join(f"{step}\n{SAY}" for step in steps), given]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return [set(line.split()) for line in done.stdout.splitlines()]


def test_commands_load_no_heavy_library() -> None:
    (loaded,) = loaded_by("import app.cli, app.cli.serve, app.cli.demo")
    assert HEAVY & loaded == set()


def test_analysis_of_a_folder_loads_no_database() -> None:
    (loaded,) = loaded_by("import app.cli.analyze")
    assert {"sqlalchemy", "psycopg"} & loaded == set()


def test_web_process_loads_what_it_needs_when_it_needs_it(engine: Engine) -> None:
    """One process, because to start one takes two seconds: it serves, hands work over, and looks at raters."""
    with engine.begin() as db:
        build_study(db, protocol_of())
        open_study(db, "study")
    url = engine.url.render_as_string(hide_password=False)
    rated, handed_over, looked = loaded_by(RATE, LATER, EVIDENCE, given=url)
    assert HEAVY & rated == set()
    # FastAPI loads the interface of OpenTelemetry by itself, if it is installed.
    assert [name for name in rated if name.startswith("opentelemetry.sdk")] == []
    # A web process that had written one report took 90 MB more until its end.
    assert (HEAVY | {"docx", "lxml"}) & handed_over == set()
    # With pandas and scipy, the first view of *Raters* took half a second of processor more.
    assert HEAVY & looked == {"numpy"}
