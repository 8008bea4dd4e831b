"""The installed wheel works outside the checkout: it contains pages, scripts, migrations and the demo."""

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


@pytest.mark.slow
def test_wheel_contains_required_files_and_its_commands_run(unpacked_wheel: Path, tmp_path: Path) -> None:
    names = ("templates", "static", "docs", "migrations")
    outcome = run(unpacked_wheel, "-c", f"from app.settings import folder; [print(folder(n)) for n in {names}]")
    for name, line in zip(names, outcome.stdout.splitlines(), strict=True):
        there, source = Path(line), ROOT / name
        assert there == unpacked_wheel / "app" / name
        files = (path.relative_to(source) for path in source.rglob("*") if path.is_file())
        expected = {str(path) for path in files if "__pycache__" not in path.parts}
        assert expected, f"nothing is in {name}"
        assert expected <= {str(path.relative_to(there)) for path in there.rglob("*")}
    outcome = run(unpacked_wheel, "-m", "app", "study", "check", str(unpacked_wheel / "app" / "demo" / "study"))
    assert outcome.returncode == 0, outcome.stderr
    example = str(unpacked_wheel / "app" / "docs" / "clients" / "example-study")
    code = (
        f"import attune_studies; print(attune_studies.__file__, len(attune_studies.read({example!r}).ratings('all')))"
    )
    outcome = run(unpacked_wheel, "-c", code)
    assert outcome.stdout.split()[-1] == "180", outcome.stderr
    assert str(unpacked_wheel) in outcome.stdout
    out = tmp_path / "mine"
    outcome = run(unpacked_wheel, "-m", "app", "study", "new", "recipient", "--out", str(out))
    assert outcome.returncode == 0, outcome.stderr
    assert {file.name for file in out.iterdir()} == {"study.yaml", "items.csv", "responses.csv", "raters.csv"}
    code = "from app.base.language.language import language_of; print(language_of('de').catalogue.gettext('Next'))"
    outcome = run(unpacked_wheel, "-c", code)
    assert outcome.stdout.strip() == "Weiter", outcome.stderr
