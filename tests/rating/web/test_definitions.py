"""Definitions of answers: on the page, tied to their radio, listed below the question, and read by models."""

import re
from collections.abc import Callable

from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.rater_pages import Visitor

DEFINED = {**EMPATHY, "definitions": {1: "It could be to anybody.", "5": 'It names "the" feeling.'}}
CODES = {
    "key": "does",
    "target": "response",
    "type": "category",
    "text": "What does it do?",
    "codes": {"asks": "Asks", "tells": "Tells"},
    "definitions": {"asks": "It wants to know more."},
}


def test_radio_is_described_by_its_definition(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(questions=[PREFERENCE, DEFINED, CODES])
    page = visitor().begin()
    described = re.findall(r'<input[^>]*id="(q[12]r\d-\d)"[^>]*aria-describedby="([^"]+)"', page.text)
    assert [name for name, _ in described] == ["q1r0-1", "q1r0-5", "q1r1-1", "q1r1-5", "q2r0-1", "q2r1-1"]
    listed = dict(re.findall(r'<dd id="([^"]+)">\s*(.*?)\s*</dd>', page.text))
    assert [listed[by] for _, by in described[:2]] == ["It could be to anybody.", "It names &#34;the&#34; feeling."]
    assert {listed[by] for _, by in described[4:]} == {"It wants to know more."}
    assert page.text.count("What the answers mean") == 2
    assert "/definitions." in page.text


def test_page_without_definitions_loads_no_script(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study()
    page = visitor().begin()
    assert "definitions." not in page.text
    assert "What the answers mean" not in page.text
