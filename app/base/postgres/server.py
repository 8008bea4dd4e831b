"""One embedded PostgreSQL server per data folder, shared by every process that uses the folder."""

import atexit
import os
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from app.base.postgres import data_dirs, private_files, sockets
from app.base.postgres import data_dirs as moved_data
from app.base.postgres.account import Account, server_account
from app.base.postgres.binaries import server_binaries
from app.base.postgres.client import Client
from app.base.postgres.cluster import check_version, ensure_cluster, read_password
from app.base.postgres.errors import EmbeddedError
from app.base.postgres.keeper import ensure_keeper, leave, record_launch
from app.base.postgres.postmaster import CLUSTER, Launched, Silence, launch, proven_pid, reap
from app.base.postgres.private_files import KEEPER, USERS, open_lock, share, starting, try_alone

# Each process that uses the database replaces a keeper that was killed, within a second or two.
#
# The keeper restarts a server that died, and this thread restarts a keeper that died: as long as a process uses the
# database, at least one of them is running.


WATCH_SECONDS = 1.0


class KeeperWatch:
    """A thread that replaces the keeper of `home` when it has ended, until `stop` is called."""

    def __init__(self, home: Path) -> None:
        """Start watching."""
        self._home = home
        self._folder = (home / USERS).stat()
        self._stopped = Event()
        Thread(target=self._run, name="attune-keeper-watch", daemon=True).start()

    def stop(self) -> None:
        """Start no more keepers. The thread is not joined, because it may be waiting for a lock that we hold."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(WATCH_SECONDS) and self._is_same_folder():
            with suppress(OSError):
                if self._is_without_keeper():
                    self._replace_keeper()

    def _is_same_folder(self) -> bool:
        """Whether the folder is still the same; a folder that was removed or replaced gets no keeper and no files."""
        try:
            return os.path.samestat(self._folder, (self._home / USERS).stat())
        except OSError:
            return False

    def _is_without_keeper(self) -> bool:
        lock = os.open(self._home / KEEPER, os.O_RDWR | os.O_CLOEXEC)
        try:
            return try_alone(lock)
        finally:
            os.close(lock)

    def _replace_keeper(self) -> None:
        with starting(self._home):
            if not self._stopped.is_set() and self._is_same_folder():
                ensure_keeper(self._home)


START_SECONDS = 300.0  # recovery after a crash may take a while


class EmbeddedPostgres:
    """The embedded database of `data_dir`.

    A process that has called `start` is a user of the database until it calls `stop` or ends. The last user to leave
    stops the server, whichever process started it. A small keeper process does so for users that were killed. It also
    restarts a server that died while it was in use.
    """

    def __init__(self, data_dir: Path, *, durable: bool = True) -> None:
        """`durable=False` trades durability after power failures and crashes for speed, and is for tests."""
        self._named_dir = data_dir.expanduser().resolve()
        self._durable = durable
        self._users: int | None = None
        self._watch: KeeperWatch | None = None
        self._client: Client | None = None

    @property
    def _data_dir(self) -> Path:
        """The folder with the files: the named folder, or the location that it points to."""
        return moved_data.moved_to(self._named_dir) or self._named_dir

    @property
    def _home(self) -> Path:
        return self._data_dir / data_dirs.HOME

    @property
    def _cluster(self) -> Path:
        return self._home / CLUSTER

    def start(self) -> str:
        """Connect to the running server, or start it; creates the database files first if there are none.

        Returns:
            The address of the database `attune` for SQLAlchemy.

        Raises:
            EmbeddedError: it cannot be started, with the reason.
        """
        account = server_account(self._cluster)
        check_version(self._cluster)
        home = data_dirs.settle(self._data_dir, account)
        try:
            with starting(home):
                private_files.remove_unfinished(home)
                self._join()
                ensure_keeper(home)
                self._ensure_server(home, account)
        except BaseException:
            self._part()
            leave(home)
            raise
        self._watch = self._watch or KeeperWatch(home)
        atexit.register(self.stop)
        return self.url()

    def url(self, database: str = "attune") -> str:
        """The address of a database on the started server, for SQLAlchemy; it contains the password."""
        return self._started_client().url(database)

    def is_running(self) -> bool:
        """Whether a server that is known to be this folder's responds. Does not start or change anything."""
        client = self._client or self._client_of_others()
        return client is not None and proven_pid(self._cluster) is not None and client.answers()

    def stop(self) -> None:
        """Leave the database, and stop the server if nobody else uses it; does nothing before `start`."""
        if self._users is None:
            return
        self._part()
        self._client = None
        leave(self._home)
        reap()
        atexit.unregister(self.stop)

    def _join(self) -> None:
        if self._users is None:
            self._users = open_lock(self._home / USERS)
            share(self._users)

    def _part(self) -> None:
        """Release our share by closing the file, not by unlocking it: a forked child shares its parent's lock."""
        if self._watch is not None:
            self._watch.stop()
            self._watch = None
        if self._users is not None:
            os.close(self._users)
            self._users = None

    def _ensure_server(self, home: Path, account: Account) -> None:
        programs = server_binaries(home, account)
        cluster = ensure_cluster(home, account, programs, durable=self._durable)
        socket = sockets.socket_folder(home, account)
        client = Client(socket, read_password(home), cluster)
        launched: Launched | None = None
        silence = Silence(home)
        end = time.monotonic() + START_SECONDS
        while not client.answers():
            if (pid := proven_pid(cluster)) is not None:
                silence.look(pid)  # the keeper cannot, because we hold `start.lock`
            elif launched is None and not sockets.is_listening(socket):
                record_launch(home, programs, durable=self._durable)
                launched = launch(home, cluster, socket, account, programs, durable=self._durable)
            if launched is not None and launched.has_ended() and launched.waits_for_others():
                launched = None
                time.sleep(0.2)
            elif launched is not None and launched.has_ended():
                raise EmbeddedError(f"The database in {cluster} did not start: {launched.last_words()}")
            if time.monotonic() > end:
                raise EmbeddedError(f"The database in {cluster} did not answer within {START_SECONDS:.0f} seconds.")
            time.sleep(0.02)
        client.check_durable(durable=self._durable)
        client.ensure_database("attune")
        self._client = client

    def _started_client(self) -> Client:
        if self._client is None:
            raise EmbeddedError("The embedded database was not started.")
        return self._client

    def _client_of_others(self) -> Client | None:
        """A client of a server that another process may have started."""
        try:
            socket = sockets.existing_socket_folder(self._home, self._cluster.stat().st_uid)
            return Client(socket, read_password(self._home), self._cluster) if socket else None
        except (OSError, EmbeddedError):
            return None
