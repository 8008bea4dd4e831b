"""attune lead ...: manage the leads, who run studies on this server."""

import sys
from typing import Annotated

import typer
from sqlalchemy import Connection

from app.accounts.identities import delete_identities
from app.accounts.lead_access import add_lead, new_link, set_password
from app.accounts.leads import Lead, get_lead, list_leads
from app.accounts.passwords import BREACHED, AccessError
from app.base.words import and_list
from app.cli.options import Address
from app.cli.output import WRONG_CALL, fail, say
from app.cli.store import store
from app.settings import settings
from app.studies.members.members import own_ownerless_studies

cli = typer.Typer(no_args_is_help=True)

Email = Annotated[str, typer.Argument(metavar="EMAIL", help="The e-mail address of the lead.", show_default=False)]
Stdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]
Link = Annotated[bool, typer.Option("--link", help="Print a single-use sign-in link instead of asking for a password.")]


@cli.callback()
def leads() -> None:
    """Add study leads, and give them access."""
    BREACHED.file = settings().breached_passwords_file


@cli.command("add")
def add(email: Email, password_stdin: Stdin = False, link: Link = False, address: Address = "") -> None:
    """Add a lead, with a password or with a sign-in link."""
    password = None if link else _password(from_stdin=password_stdin)
    with store() as engine, engine.begin() as db:
        try:
            lead = add_lead(db, email, password)
        except AccessError as error:
            fail(str(error))
        say(f"Added the lead {lead.email}.")
        is_first = len(list_leads(db)) == 1
        if is_first and (slugs := own_ownerless_studies(db, lead.id)):
            say(f"This is the first lead, and now the owner of what was loaded before: {and_list(slugs)}.")
        if link:
            _print_link(db, lead, address)


@cli.command("password")
def password(email: Email, password_stdin: Stdin = False) -> None:
    """Change the password of a lead. Sessions that use the old one are signed out."""
    with store() as engine, engine.begin() as db:
        lead = _lead(db, email)
        try:
            set_password(db, lead, _password(from_stdin=password_stdin))
        except AccessError as error:
            fail(str(error))
        say(f"The password of {lead.email} has been changed.")


@cli.command("link")
def link(email: Email, address: Address = "") -> None:
    """Print a single-use sign-in link for a lead, valid for one day."""
    with store() as engine, engine.begin() as db:
        _print_link(db, _lead(db, email), address)


@cli.command("unlink")
def unlink(email: Email) -> None:
    """Forget who a lead is at the OpenID Connect provider. The next sign-in with their address stores it anew."""
    with store() as engine, engine.begin() as db:
        lead = _lead(db, email)
        has_any = delete_identities(db, lead.id) > 0
        say(f"Forgot the identity of {lead.email}." if has_any else f"No identity of {lead.email} is stored.")


@cli.command("list")
def list_() -> None:
    """List all leads, one per line."""
    with store() as engine, engine.begin() as db:
        for lead in list_leads(db):
            typer.echo(lead.email)


def _lead(db: Connection, email: str) -> Lead:
    return get_lead(db, email) or fail(f"There is no lead {email}. To add one: attune lead add {email}", WRONG_CALL)


def _print_link(db: Connection, lead: Lead, address: str) -> None:
    typer.echo(f"{address}/sign-in/{new_link(db, lead)}")


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
