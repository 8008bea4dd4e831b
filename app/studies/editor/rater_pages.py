"""On which page the questions about the rater are asked, and in which order."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

from app.studies.editor.controls import Option, lines_of
from app.studies.editor.nodes import Data
from app.studies.editor.sections import value_at, with_value

_PARTS = {"before": "Before the instructions", "after": "After the last trial"}
_REST = "after the other pages"


@dataclass(frozen=True, slots=True)
class RaterPage:
    """A page of questions. `name` is `before.0` or `after.1`; empty for the one that asks what no other page asks."""

    name: str
    title: str
    keys: tuple[str, ...]


def rater_pages(data: Data) -> list[RaterPage]:
    """The pages in the order in which raters see them, without the questions of eligibility."""
    pages = [*_declared(data)]
    placed = {key for page in pages for key in page.keys} | set(_eligible(data))
    questions = data.get("questions")
    about = [
        str(one.get("key"))
        for one in (questions if isinstance(questions, list) else ())
        if isinstance(one, dict) and one.get("target") == "rater"
    ]
    return [*pages, RaterPage("", "After the last trial", tuple(key for key in about if key not in placed))]


def _declared(data: Data) -> Iterator[RaterPage]:
    for part, words in _PARTS.items():
        found = value_at(data, f"flow.{part}")
        for number, page in enumerate(found if isinstance(found, list) else ()):
            if isinstance(page, dict):
                title = str(page.get("title") or "")
                yield RaterPage(
                    f"{part}.{number}", f"{words}: {title}" if title else words, tuple(lines_of(page.get("questions")))
                )


def _eligible(data: Data) -> list[str]:
    accept = value_at(data, "flow.eligibility.accept")
    return list(accept) if isinstance(accept, dict) else []


def page_options(data: Data, key: str) -> tuple[str, tuple[Option, ...]]:
    """The page of a question and the pages to choose from; none for a question of eligibility."""
    pages = rater_pages(data)
    if key in _eligible(data) and not any(key in page.keys for page in pages):
        return "", ()
    own = next((page.name for page in pages if key in page.keys), "")
    there = [Option(page.name, page.title if page.name else f"{page.title}, {_REST}") for page in pages]
    return own, (
        *there,
        Option("before", "A new page before the instructions"),
        Option("after", "A new page after the last trial"),
    )


def with_page(data: Data, key: str, name: str) -> Data:
    """The data with a question on another page; a page left without questions goes."""
    own, options = page_options(data, key)
    if name == own or name not in {one.value for one in options}:
        return data
    data = deepcopy(data)
    part, _, number = name.partition(".")
    if number:
        page = value_at(data, f"flow.{part}")[int(number)]
        page["questions"] = [*lines_of(page.get("questions")), key]
    elif part:
        data = with_value(data, f"flow.{part}", [*(value_at(data, f"flow.{part}") or ()), {"questions": [key]}])
    if own:
        part, _, number = own.partition(".")
        pages = value_at(data, f"flow.{part}")
        page = pages[int(number)]
        page["questions"] = [one for one in lines_of(page.get("questions")) if one != key]
        kept = [one for one in pages if not isinstance(one, dict) or one.get("questions")]
        data = with_value(data, f"flow.{part}", kept or None)
        if data.get("flow") == {}:
            del data["flow"]
    return data


def with_order(data: Data, key: str, other: str) -> Data | None:
    """The data with a question at the place of another one; None unless one page of the flow lists both."""
    page = next((one for one in _declared(data) if key in one.keys and other in one.keys), None)
    if page is None:
        return None
    data = deepcopy(data)
    part, _, number = page.name.partition(".")
    keys = list(page.keys)
    place = keys.index(other)
    keys.remove(key)
    keys.insert(place, key)
    value_at(data, f"flow.{part}")[int(number)]["questions"] = keys
    return data
