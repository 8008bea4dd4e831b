"""The address that raters see does not reveal the name of the study."""

from collections.abc import Callable

from sqlalchemy import Engine, text

from tests.kit.rater_pages import Visitor


def token_of(engine: Engine, slug: str) -> str:
    with engine.connect() as db:
        return str(db.execute(text("SELECT rater_token FROM studies WHERE slug = :slug"), {"slug": slug}).scalar_one())


def test_rater_pages_never_contain_study_slug(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(slug="label-deception", n_items=2)
    token = token_of(engine, "label-deception")
    rater = visitor()
    first = rater.begin("anna", token)
    second = rater.rate(first)
    last = rater.rate(second)
    for page in (first, second, last):
        assert f"/s/{token}" in page.text
        assert "label-deception" not in page.text
        assert "label-deception" not in str(page.url)
    assert not [cookie for cookie in rater.cookies if "label-deception" in cookie]


def test_each_study_has_own_rater_token(engine: Engine, study: Callable[..., int]) -> None:
    study(slug="one")
    study(slug="other")
    tokens = {token_of(engine, slug) for slug in ("one", "other")}
    assert len(tokens) == 2
    assert all(len(token) == 12 for token in tokens)


def test_draft_is_found_by_its_token_only(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(slug="label-deception", n_items=2)
    with engine.begin() as db:
        db.execute(text("UPDATE studies SET status = 'draft', opened_at = NULL"))
    addresses = (f"/s/{name}?participant=anna" for name in (token_of(engine, "label-deception"), "label-deception"))
    assert [visitor().get(address).status_code for address in addresses] == [403, 404]
