"""attune serve: the web application on its database."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.listen import address, bind, run, stop_cleanly
from app.cli.output import say
from app.cli.store import store

Host = Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for every address of this machine.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for any free port.")]
Workers = Annotated[int, typer.Option(min=1, max=64, help="How many processes share the work.")]


def serve(host: Host = "127.0.0.1", port: Port = 8000, workers: Workers = 1) -> None:
    """Start the web application for raters and leads; Ctrl-C stops it. The database is upgraded first."""
    from app.storage.leads.leads import list_leads

    stop_cleanly()
    listening = bind(host, port)
    with store() as engine:
        url = engine.url.render_as_string(hide_password=False)
        with engine.begin() as db:
            has_leads = bool(list_leads(db))
    say(f"Attune is running at {address(listening)} (Ctrl-C stops it).")
    if not has_leads:
        say("No one can sign in yet. Add a lead from another terminal: attune lead add EMAIL")
    run(listening, url, workers=workers)
