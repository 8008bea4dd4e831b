"""Started by a normal user; if the tests run as root, by the account nobody, which owns nothing."""

import json
import os
import pwd
from pathlib import Path

import pytest

from tests.kit.embedded_processes import IS_ROOT, finish, program

WHOLE_STORY = """
import json, os, sys
from pathlib import Path
import psycopg
from app.base.postgres import EmbeddedPostgres
from app.base.postgres.postmaster import proven_pid

folder = Path(sys.argv[1])
server = EmbeddedPostgres(folder)
for turn in range(2):
    with psycopg.connect(server.start().replace("+psycopg", "")) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS seen (turn int)")
        connection.execute("INSERT INTO seen VALUES (%s)", (turn,))
        found = [row[0] for row in connection.execute("SELECT turn FROM seen ORDER BY turn")]
    runs_as = os.stat(f"/proc/{proven_pid(folder / 'postgres' / 'pgdata')}").st_uid
    server.stop()
owners = sorted({path.lstat().st_uid for path in folder.rglob("*")})
modes = sorted({path.lstat().st_mode & 0o077 for path in folder.rglob("*") if not path.is_symlink()})
print(json.dumps({"found": found, "runs_as": runs_as, "me": os.geteuid(), "owners": owners, "open": modes}))
"""


@pytest.fixture
def user(data_dir: Path) -> int | None:
    """The account for starting programs; `data_dir` is given to it."""
    if not Path("/proc/self").exists():
        pytest.skip("this system has no /proc")
    if not IS_ROOT:
        return None
    nobody = pwd.getpwnam("nobody").pw_uid
    os.chown(data_dir, nobody, -1)
    return nobody


@pytest.mark.parametrize("name", ["with a space", "long " * 30])
def test_normal_user_runs_server_in_own_folders(data_dir: Path, user: int | None, name: str) -> None:
    told = json.loads(finish(program(WHOLE_STORY, data_dir / name.strip(), user=user)))
    assert told["found"] == [0, 1]
    assert told["runs_as"] == told["me"] != 0
    assert told["owners"] == [told["me"]]
    assert told["open"] == [0], "a file or folder of the database is open to other accounts"
