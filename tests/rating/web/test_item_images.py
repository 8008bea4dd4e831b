"""The image of an item: on the pages that show it, and at an address that only they name."""

import re
from collections.abc import Callable
from typing import Any

from app.base.files.read_image import read_image
from tests.kit.builder import EMPATHY
from tests.kit.images import a_png
from tests.kit.rater_pages import Visitor

ALT = 'Two people, one says "no" <b>'
SHOWN: dict[str, Any] = {
    "texts": [{"key": "face", "image": "face.png", "image_alt": ALT}, {"key": "none"}],
    "questions": [EMPATHY],
    "design": {"trials": "single", "order": "fixed"},
}


def test_an_image_is_shown_with_its_item(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(**SHOWN)
    rater = visitor()
    page = rater.begin().text
    found = re.search(r'<img class="item-image"\s+src="(/s/study/images/[^"]+)"\s+alt="([^"]*)"\s+(.*)\s+(.*)>', page)
    assert found is not None, page
    assert found.groups()[1:] == ("Two people, one says &#34;no&#34; &lt;b&gt;", 'width="120"', 'height="80"')
    served = visitor().get(found[1])
    assert served.content == read_image(a_png((120, 80))).content
    assert served.headers["content-type"] == "image/png"
    assert served.headers["cache-control"] == "private, max-age=86400, immutable"
    assert served.headers["x-content-type-options"] == "nosniff"
    assert served.headers["content-security-policy"].startswith("default-src 'none'")


def test_only_the_right_address_has_the_image(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(**SHOWN)
    study(slug="other")
    rater = visitor()
    found = re.search(r"/s/study/images/[^\"]+", rater.begin().text)
    assert found is not None
    for address in (found[0].replace("study", "other"), found[0][:-4] + "0000", "/s/study/images/face.png"):
        assert rater.get(address).status_code in {404, 422}


def test_practice_shows_the_image_too(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    trial = {"item": "face", "responses": ["face:person"], "expect": {"empathy": [4, 5]}}
    study(**SHOWN, flow={"practice": {"trials": [trial]}})
    anna = visitor()
    anna.begin()
    page = anna.get("/s/study/practice").text
    assert page.count('<img class="item-image"') == 1
