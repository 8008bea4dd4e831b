"""The embedded PostgreSQL: server binaries from a wheel, started by our own launcher on a private socket.

Do not import anything heavy here: the keeper, a small process beside the server, imports this package too.
"""

from app.postgres.embedded_errors import EmbeddedError
from app.postgres.filesystem.data_dirs import default_data_dir
from app.postgres.server import EmbeddedPostgres

__all__ = ["EmbeddedError", "EmbeddedPostgres", "default_data_dir"]
