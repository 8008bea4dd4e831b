"""The installed wheel works outside the checkout: it contains pages, scripts, migrations and the demo."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def unpacked_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from this checkout and unpack it elsewhere, in a path with a space."""
    folder = tmp_path_factory.mktemp("a wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("attune_studies-*.whl")
    target = folder / "site packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python outside the checkout, with the unpacked wheel first on its path."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder.parent, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", ["templates", "static", "docs", "migrations"])
def test_wheel_contains_required_files(unpacked_wheel: Path, name: str) -> None:
    outcome = run(unpacked_wheel, "-c", f"from app.settings import folder; print(folder({name!r}))")
    there = Path(outcome.stdout.strip())
    assert there == unpacked_wheel / "app" / name
    source = ROOT / name
    files = (path.relative_to(source) for path in source.rglob("*") if path.is_file())
    expected = {str(path) for path in files if "__pycache__" not in path.parts}
    assert expected, "nothing is there"
    assert expected <= {str(path.relative_to(there)) for path in there.rglob("*")}


def test_command_line_runs_from_wheel(unpacked_wheel: Path) -> None:
    outcome = run(unpacked_wheel, "-m", "app", "study", "check", str(unpacked_wheel / "app" / "demo" / "study"))
    assert outcome.returncode == 0, outcome.stderr


def test_study_is_created_from_template_in_wheel(unpacked_wheel: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine"
    outcome = run(unpacked_wheel, "-m", "app", "study", "new", "recipient", "--out", str(out))
    assert outcome.returncode == 0, outcome.stderr
    assert {file.name for file in out.iterdir()} == {"study.yaml", "items.csv", "responses.csv", "raters.csv"}


def test_wheel_includes_translations(unpacked_wheel: Path) -> None:
    code = "from app.language.language import language_of; print(language_of('de').catalogue.gettext('Next'))"
    outcome = run(unpacked_wheel, "-c", code)
    assert outcome.stdout.strip() == "Weiter", outcome.stderr
