"""attune demo: start the web application with an example study."""

from typing import Annotated

import typer

from app.base.postgres import default_data_dir
from app.cli.demo_maker import DemoMaker
from app.cli.listen import address, bind, run, stop_cleanly
from app.cli.output import say
from app.cli.store import store
from app.cli.worker import make_worker
from app.rating.simulation.demo import SLUG, demo_link, is_made
from app.settings import settings

Port = Annotated[
    int, typer.Option(min=0, max=65535, help="The port to listen on; if it is taken, the next free one is used.")
]
Host = Annotated[str, typer.Option(help="The address to listen on.")]


def demo(port: Port = 8000, host: Host = "127.0.0.1") -> None:
    """Start the web application with an example study and simulated ratings; Ctrl-C stops it."""
    stop_cleanly()
    listening = bind(host, port, or_next=True)
    here = address(listening)
    if port and not here.endswith(f":{port}"):
        say(f"Port {port} is taken. Using the next free port.")
    maker = DemoMaker() if _looks_new() else None
    try:
        with store() as engine:
            with engine.begin() as db:
                token, is_ready = demo_link(db), is_made(db)
            url = engine.url.render_as_string(hide_password=False)
        if not is_ready:
            maker = maker or DemoMaker()
            maker.make(url)
        _welcome(here, token)
        jobs = make_worker(url, is_demo=True).start()
        run(listening, url)
        jobs.stop()
    finally:
        if maker:
            maker.stop()


def _looks_new() -> bool:
    """Return whether the database probably does not exist yet, so that the study can be read while it is created."""
    return not settings().database_url and not (settings().data_dir or default_data_dir()).exists()


def _welcome(here: str, token: str) -> None:
    typer.echo(f"\nAttune is running with its demo study at {here} (Ctrl-C stops it).\n")
    typer.echo(f"  Sign in as the lead:  {here}/sign-in/{token}?next=/studies/{SLUG}")
    typer.echo(f"  Rate as a rater:      {here}/s/{SLUG}?participant=you\n")
