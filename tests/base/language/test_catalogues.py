"""Every catalogue says every fixed text, with the values that belong in it."""

import re

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from app.base.language.language import CATALOGUES
from tests.base.language.catalogue_texts import extracted, forms

NAMES = sorted(path.stem for path in CATALOGUES.glob("*.po"))
HOW = "run `make texts`, then translate what is empty"


@pytest.fixture(scope="module")
def texts() -> set[str | tuple[str, ...]]:
    """The fixed texts of the checkout."""
    return extracted()


def catalogue(name: str) -> Catalog:
    with (CATALOGUES / f"{name}.po").open("rb") as file:
        return read_po(file, locale=name)


def entries(name: str) -> list[Message]:
    return [entry for entry in catalogue(name) if entry.id]


def values_in(text: str) -> set[str]:
    """The names of the values that stand in a text; whatever else has a percent sign is found too."""
    return set(re.findall(r"%(?:\(\w+\)s|.?)", text))


def test_catalogues_include_a_right_to_left_language() -> None:
    assert {"ar", "de"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_catalogue_has_exactly_the_fixed_texts(name: str, texts: set[str | tuple[str, ...]]) -> None:
    there = {entry.id for entry in entries(name)}
    assert texts - there == set(), HOW
    assert there - texts == set(), HOW
    assert not catalogue(name).obsolete, HOW


@pytest.mark.parametrize("name", NAMES)
def test_every_text_is_translated_in_every_plural_form(name: str) -> None:
    n_forms = catalogue(name).num_plurals
    expected = {entry.id: n_forms if isinstance(entry.id, tuple) else 1 for entry in entries(name)}
    assert {entry.id: len(forms(entry.string)) for entry in entries(name)} == expected
    assert [entry.id for entry in entries(name) if not all(forms(entry.string)) or entry.fuzzy] == [], HOW


@pytest.mark.parametrize("name", NAMES)
def test_translation_has_same_placeholders(name: str) -> None:
    for entry in entries(name):
        asked = values_in(forms(entry.id)[-1])
        said = [values_in(form) for form in forms(entry.string)]
        assert all(values <= asked for values in said), f"{entry.id}: a value that the text does not have"
        # "one item" may be said without its number; what counts more has it.
        assert said[-1] == asked, f"{entry.id}: a value is lacking"


@pytest.mark.parametrize("name", NAMES)
def test_translation_has_no_markup_and_same_punctuation(name: str) -> None:
    for entry in entries(name):
        for form in forms(entry.string):
            assert not re.search(r"[<>&\"]", form), f"{form}: templates take it as it is"
            assert form == form.strip()
            assert form.endswith(":") == forms(entry.id)[-1].endswith(":")


def test_counted_text_has_a_plural(texts: set[str | tuple[str, ...]]) -> None:
    counting = {text for text in texts if isinstance(text, str) and re.search(r"%\(\w+\)s [a-z]+s\b", text)}
    # Their numbers are constants, and many.
    assert counting == {
        "This text is too long: at most %(most)s characters.",
        "Backups of the server are removed after %(n)s days.",
    }
