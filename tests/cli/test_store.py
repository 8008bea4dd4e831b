"""A command finds its database, or says in one sentence why it cannot."""

import os
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


def test_failing_embedded_database_is_reported_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    done = subprocess.run(
        [sys.executable, "-m", "app", "backup", str(tmp_path / "backup.dump")],
        check=False,
        capture_output=True,
        text=True,
        cwd=CHECKOUT,
        env=environment | {"ATTUNE_DATA_DIR": str(tmp_path / "file")},
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "cannot be used for the database" in done.stderr
