"""The keeper starts without installed packages: it must be small, and work while packages are being replaced."""

import subprocess
import sys
from pathlib import Path


def test_keeper_loads_without_installed_packages() -> None:
    checkout = str(Path(__file__).resolve().parents[3])
    code = "import sys; sys.path.insert(0, sys.argv[1]); import app.base.postgres.keeper"
    loaded = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", code, checkout], cwd="/", capture_output=True, text=True, check=False
    )
    assert loaded.returncode == 0, loaded.stderr
