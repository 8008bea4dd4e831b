"""Cache for rating pages: each page is rendered once per structure, with holes that are filled for each rater.

A page whose questions have no answers yet depends on its rater and item in a few places only: texts, addresses and
numbers. Filling these takes a tenth of the time of rendering the page.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace

from markupsafe import Markup, escape

from app.base.language.language import Language
from app.base.rendering.pages import HOLE, Hole
from app.rating.page.sheet import Passage, Sheet
from app.rating.seats.assignment_view import AssignmentView

Body = Callable[[AssignmentView, Sheet, object], str]

MAX_KEPT = 256


class KeptPages:
    """For the template of a rating page: `{% call(view, sheet, now_ms) kept_page(view, sheet, now_ms, key) %}`.

    The key must contain everything that the body depends on besides view, sheet and language. If a part of it is None,
    or if there are answers, the page is rendered each time.
    """

    def __init__(self, language: Callable[[], Language]) -> None:
        """`language` returns the language of the page."""
        self._language = language
        self._kept: dict[Hashable, list[str]] = {}

    def __call__(self, view: AssignmentView, sheet: Sheet, now_ms: object, *key: Hashable, caller: Body) -> Markup:
        """Return the body for this view and this sheet."""
        asked = sheet.as_asked
        if asked is None or None in key:
            return Markup(caller(view, sheet, now_ms))  # noqa: S704 - a template's own output, escaped there
        language = self._language()
        whole = (language.code, key, asked, _structure(view, sheet))
        parts = self._kept.get(whole)
        if parts is None:
            parts = HOLE.split(caller(*_with_holes(view, sheet), Hole("now_ms")))
            if len(self._kept) >= MAX_KEPT:
                self._kept.clear()
            self._kept[whole] = parts
        values = _values(view, sheet, language)
        values["now_ms"] = now_ms
        filled = parts.copy()
        filled[1::2] = [str(escape(values[name])) for name in parts[1::2]]
        return Markup("".join(filled))  # noqa: S704 - a template's own output, and escaped values


def _structure(view: AssignmentView, sheet: Sheet) -> Hashable:
    """What the page depends on besides its questions and the values in its holes."""
    names = [name if isinstance(name, str) else name.text for name in (card.name for card in sheet.cards)]
    forms = ((card.letter, card.label, _form(card.passage)) for card in sheet.cards)
    cards = tuple(zip(names, forms, strict=True))
    is_filled = bool(view.previous), bool(view.content_note), bool(view.profile), bool(view.image)
    progress = sheet.stage, sheet.minutes_left is not None, sheet.offers_pause
    return sheet.shown, sheet.shape, progress, cards, _form(sheet.situation), view.state, view.is_revisit, is_filled


def _form(passage: Passage) -> Hashable:
    """The form of a passage; speakers are part of it, because the heading depends on how many there are."""
    turns = tuple((turn.speaker, turn.voice, turn.is_now, turn.html is None) for turn in passage.turns)
    return passage.name, bool(passage.text and passage.text.strip()), passage.html is None, turns


def _with_holes(view: AssignmentView, sheet: Sheet) -> tuple[AssignmentView, Sheet]:
    holes: dict[str, object] = {name: Hole(name) for name in ("token", "place", "n_all")}
    holes |= {name: Hole(name) for name in ("previous", "content_note", "profile") if getattr(view, name)}
    if view.image:
        holes["image"] = {name: Hole(f"image_{name}") for name in view.image}
    cards = tuple(replace(card, passage=_passage_with_holes(card.passage)) for card in sheet.cards)
    minutes = None if sheet.minutes_left is None else Hole("minutes_left")
    parts = {"cards": cards, "situation": _passage_with_holes(sheet.situation), "minutes_left": minutes}
    return replace(view, **holes), replace(sheet, **parts)  # type: ignore[arg-type]


def _passage_with_holes(passage: Passage) -> Passage:
    texts = [Hole(name) for name, _ in _texts(passage)]
    turns = tuple(
        replace(turn, text=hole, html=turn.html and hole) for turn, hole in zip(passage.turns, texts, strict=False)
    )
    has_text = passage.text and passage.text.strip()
    return replace(passage, text=texts[-1] if has_text else passage.text, html=passage.html and texts[-1], turns=turns)


def _texts(passage: Passage) -> Iterator[tuple[str, str | None]]:
    """Names and values of the texts of a passage: its turns, and then its text."""
    for number, turn in enumerate(passage.turns):
        yield f"{passage.name}_{number}", turn.html or turn.text
    yield passage.name, passage.html or passage.text


def _values(view: AssignmentView, sheet: Sheet, language: Language) -> dict[str, object]:
    """The values of all holes that a page can have, by name."""
    values: dict[str, object] = {
        "token": view.token,
        "previous": view.previous,
        "content_note": view.content_note,
        "profile": view.profile,
        "place_less_1": view.place - 1,
        "place_said": language.say(view.place),
        "place_less_1_said": language.say(view.place - 1),
        "n_all": view.n_all,
        "n_all_said": language.say(view.n_all),
        "minutes_left_said": language.say(sheet.minutes_left or 0),
    }
    values |= {f"image_{name}": value for name, value in (view.image or {}).items()}
    for passage in (sheet.situation, *(card.passage for card in sheet.cards)):
        values.update(_texts(passage))
    return values
