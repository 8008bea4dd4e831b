"""The embedded PostgreSQL: server binaries from a wheel, started by our own launcher on a private socket.

Do not import anything heavy here: the keeper, a small process beside the server, imports this package too.
"""

from app.base.postgres.data_dirs import default_data_dir
from app.base.postgres.errors import EmbeddedError
from app.base.postgres.server import EmbeddedPostgres

__all__ = ["EmbeddedError", "EmbeddedPostgres", "default_data_dir"]
