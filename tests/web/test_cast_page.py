"""The page of the docs that says who may use which address is written from the cast's table.

`python -m tests.web.test_cast_page` writes it anew.
"""

from pathlib import Path

from app.accounts.roles import IN_WORDS, ROLES
from tests.web.cast_stage import CAST
from tests.web.cast_table import EXPECTED, SIGN_IN

PAGE = Path(__file__).resolve().parents[2] / "docs" / "who-may-do-what.md"
HEAD = """# Roles and permissions

Each study has people with roles. An owner invites them on the page *People*; the same person can be the owner of one
study and an analyst of another. A study always has an owner: the only owner cannot leave and cannot take another role.

{roles}

What a role does not allow is answered with 403. Leads who do not belong to a study get 404, as if the study did not
exist, and everyone else is asked to sign in. The pages of raters answer the name of a draft with 404 too. Each refusal
is in the log, with the name of the study and the number of the lead. Which right an address asks for is listed in one
place, `app/studies/rights.py`; an address that is not in the list is for owners only.

The table is written by `tests/web/test_cast_page.py` from what `tests/web/test_cast.py` asks of every address. "Yes"
means that the address answers, if only to say that a form is incomplete.

## Addresses of a study

{of_study}

## Addresses of the API

A program sends a token of the study. A token has the role that it was made with, or that of its lead if that is weaker.
Without a valid token the answer is 401, with one of another study 404.

{of_api}

## Addresses of an account

{of_lead}

Everyone, signed in or not, gets the first page, Help, the sign-in pages, `/healthz`, `/readyz`, `/api/v1/openapi.json`,
the files in `/static`, and the page of an invitation. `/metrics` is for programs, as [Operations](operations.md) says.
Raters reach only the addresses below `/s/`, each only their own pages. The image of an item answers to everyone who has
its address, which contains a random number; only the pages that show the image name it.
"""


def written() -> str:
    """The page as the table says it."""
    roles = "\n".join(f"- **{role.capitalize()}**: {IN_WORDS[role][0].lower()}{IN_WORDS[role][1:]}." for role in ROLES)
    of_study = {route: answers for route, answers in EXPECTED.items() if answers[4] == 404 and SIGN_IN in answers}
    of_lead = {route: answers for route, answers in EXPECTED.items() if SIGN_IN in answers and route not in of_study}
    of_lead |= {route: of_study.pop(route) for route in list(of_study) if "{slug}" not in route}
    of_api = {route: answers for route, answers in EXPECTED.items() if " /api/v1/studies" in route}
    tables = {"of_study": _table(of_study, ROLES), "of_api": _table(of_api, ROLES)}
    return HEAD.format(roles=roles, **tables, of_lead=_table(of_lead, ("lead",)))


def _table(routes: dict[str, tuple[object, ...]], columns: tuple[str, ...]) -> str:
    head = [
        "| Address | " + " | ".join(column.capitalize() for column in columns) + " |",
        "|---" * (len(columns) + 1) + "|",
    ]
    rows = [
        f"| `{route}` | " + " | ".join("yes" if answer != 403 else "–" for answer in answers[: len(columns)]) + " |"
        for route, answers in routes.items()
    ]
    return "\n".join(head + rows)


def test_access_page_matches_cast_table() -> None:
    assert CAST[:4] == ROLES
    assert PAGE.read_text(encoding="utf-8") == written(), "python -m tests.web.test_cast_page writes it anew"


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
