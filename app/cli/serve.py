"""attune serve: start the web application on its database."""

from typing import Annotated

import typer

from app.accounts.leads import list_leads
from app.base.database.engine import connections_needed, count_connections, max_workers
from app.cli.listen import address, bind, run, stop_cleanly
from app.cli.output import fail, say
from app.cli.store import store
from app.cli.worker import make_worker
from app.settings import settings

Host = Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for every address of this machine.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for any free port.")]
Workers = Annotated[int, typer.Option(min=1, max=64, help="Number of worker processes.")]
Jobs = Annotated[
    bool, typer.Option("--worker/--no-worker", help="Do background jobs here, or only by `attune worker`.")
]

# Connections that PostgreSQL reserves for superusers.
RESERVED = 3


def serve(host: Host = "127.0.0.1", port: Port = 8000, workers: Workers = 1, has_worker: Jobs = True) -> None:
    """Start the web application for raters and leads; Ctrl-C stops it. The database is upgraded first."""
    stop_cleanly()
    listening = bind(host, port)
    with store() as engine:
        url = engine.url.render_as_string(hide_password=False)
        with engine.begin() as db:
            has_leads = bool(list_leads(db))
            n_available = count_connections(db)
    check_connections(workers, settings().n_threads, n_available)
    say(f"Attune is running at {address(listening)} (Ctrl-C stops it).")
    if settings().public_url and not settings().proxies:
        say("No proxy is trusted, so limits count the visitors of yours as one: name it in ATTUNE_TRUSTED_PROXIES.")
    if not has_leads:
        say("No one can sign in yet. Add a lead from another terminal: attune lead add EMAIL")
    jobs = make_worker(url).start() if has_worker else None
    try:
        run(listening, url, workers=workers)
    finally:
        if jobs:
            jobs.stop()


def check_connections(workers: int, n_threads: int, n_available: int) -> None:
    """Print how many database connections the processes may use; fail if there are not enough."""
    n_needed, fit = connections_needed(workers, n_threads), max_workers(n_available, n_threads)
    processes = f"{workers} process{'es' if workers > 1 else ''} with {n_threads} threads"
    if n_needed <= n_available:
        say(f"{processes}: up to {n_needed} of the {n_available} connections that the database allows.")
        return
    fewer = f"start {fit} with --workers {fit}" if fit else "set ATTUNE_N_THREADS to a lower value"
    fail(
        f"{processes} may need {n_needed} database connections, and the database allows {n_available}: {fewer}, or set "
        f"max_connections in PostgreSQL to {n_needed + RESERVED} or more."
    )
