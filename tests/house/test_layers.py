"""The import contracts hold, and each of them can fail."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# For each contract, a line that breaks it and the file to add it to.
BREAKS = {
    "No room imports a room above it": ("app/stats/result.py", "import app.protocol.questions.scale"),
    "Statistics are pure: arrays in, numbers out": ("app/stats/result.py", "import sqlalchemy"),
    "The protocol is plain Python and pydantic": ("app/protocol/questions/scale.py", "import pandas"),
    "The analysis does no input or output": ("app/analysis/estimate.py", "import psycopg"),
    "The embedded server stands alone": ("app/base/postgres/postmaster.py", "import pandas"),
    "One room talks to language models": ("app/base/web/health.py", "import openai"),
    "The client of language models knows no database and no web": ("app/llm/client/asked.py", "import pandas"),
    "Settings are read only where the program is put together": ("app/base/database/engine.py", "import app.settings"),
}


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts for the package in `folder`."""
    code = "from importlinter.cli import lint_imports_command; lint_imports_command(['--no-cache'])"
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); {code}"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def copy_of_the_house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the package and its contracts, which tests may break."""
    folder = tmp_path_factory.mktemp("house")
    shutil.copytree(ROOT / "app", folder / "app", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_every_import_contract_is_kept(copy_of_the_house: Path) -> None:
    outcome = lint_imports(copy_of_the_house)
    assert outcome.returncode == 0, outcome.stdout
    assert all(f"{name} KEPT" in outcome.stdout for name in BREAKS), "a contract without a way to break it, or gone"


def test_every_import_contract_can_fail(copy_of_the_house: Path) -> None:
    untouched = {file: (copy_of_the_house / file).read_text() for file, _ in BREAKS.values()}
    broken = dict(untouched)
    for file, line in BREAKS.values():
        broken[file] += f"\n{line}\n"
    try:
        for file, text in broken.items():
            (copy_of_the_house / file).write_text(text)
        outcome = lint_imports(copy_of_the_house)
    finally:
        for file, text in untouched.items():
            (copy_of_the_house / file).write_text(text)
    assert outcome.returncode == 1
    assert [name for name in BREAKS if f"{name} BROKEN" not in outcome.stdout] == []
