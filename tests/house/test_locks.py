"""Both locks name the same versions: `make test` installs from the larger one alone."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def locked(name: str) -> set[str]:
    """Each package with its version, such as `numpy==2.4.6`; one for older versions of Python may be there too."""
    return set(re.findall(r"^[^\s=]+==[^\s=]+", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE))


def test_lock_for_tests_contains_every_package_and_version_of_the_other() -> None:
    for_use = locked("requirements.lock")
    assert len(for_use) > 50
    assert for_use - locked("requirements-dev.lock") == set()


def test_locks_name_all_that_the_packages_need() -> None:
    """They are installed without resolving: old releases of pip look for extras past the pinned versions."""
    check = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stdout
