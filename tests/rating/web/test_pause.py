"""A break between two blocks is offered once, never before the last item alone, and does not block the rater."""

from collections.abc import Callable

from tests.kit.rater_pages import Visitor, heading

BLOCKS = {"size": 2, "pause": "Take a breath."}


def test_break_follows_each_block_and_leads_to_next_item(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=5, design={"blocks": BLOCKS})
    anna = visitor()
    seen = [heading(page := anna.begin())]
    for _ in range(5):
        page = anna.rate(page)
        seen.append(heading(page))
        if page.url.path.endswith("/pause"):
            assert "Take a breath." in page.text
            assert "of 5 items are done" in page.text
            seen.append(heading(page := anna.get("/s/study/rate")))
    assert seen == [
        "Item 1 of 5",
        "Item 2 of 5",
        "Time for a break",
        "Item 3 of 5",
        "Item 4 of 5",
        "Item 5 of 5",
        "You have finished. Thank you.",
    ]


def test_break_time_is_excluded_from_next_item(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(n_items=3, design={"blocks": {"size": 1}})
    anna = visitor()
    assert heading(anna.rate(anna.begin())) == "Time for a break"
    assert heading(anna.get("/s/study/pause")) == "Time for a break"
    assert heading(anna.get("/s/study/rate")) == "Item 2 of 3"
    assert heading(anna.get("/s/study/pause")) == "Item 2 of 3"


def test_htmx_submit_redirects_to_break(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(n_items=3, design={"blocks": {"size": 1}})
    anna = visitor()
    page = anna.begin()
    anna.headers["HX-Request"] = "true"
    assert anna.rate(page).headers["HX-Redirect"] == "/s/study/pause"
