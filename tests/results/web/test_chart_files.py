import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient


@pytest.mark.usefixtures("rated")
def test_chart_downloads_as_vega_lite_specification(client: TestClient) -> None:
    answer = client.get("/studies/small/charts/choice-1.json")
    assert "vega-lite" in answer.json()["$schema"]
    assert answer.headers["content-disposition"] == 'attachment; filename="small-choice-1.vl.json"'


@pytest.mark.usefixtures("rated")
@pytest.mark.parametrize(
    ("picture", "kind", "begins"),
    [("svg", "image/svg+xml", b"<svg"), ("png", "image/png", b"\x89PNG"), ("pdf", "application/pdf", b"%PDF")],
)
def test_chart_image_is_cached_by_content(
    client: TestClient, db: Connection, picture: str, kind: str, begins: bytes
) -> None:
    first = client.get(f"/studies/small/charts/choice-1.{picture}")
    assert first.headers["content-type"].startswith(kind)
    assert first.content.startswith(begins)
    db.execute(text("UPDATE made_files SET content = content || '!'"))
    second = client.get(f"/studies/small/charts/choice-1.{picture}")
    assert second.content == first.content + b"!"


@pytest.mark.usefixtures("rated")
@pytest.mark.parametrize("path", ["charts/none-1.json", "charts/none-1.svg", "charts/choice-9.png"])
def test_unknown_chart_is_not_found(client: TestClient, path: str) -> None:
    assert client.get(f"/studies/small/{path}").status_code == 404


@pytest.mark.usefixtures("rated")
def test_unknown_chart_format_or_theme_is_rejected(client: TestClient) -> None:
    assert client.get("/studies/small/charts/choice-1.exe").status_code == 422
    assert client.get("/studies/small/charts.json?theme=pink").status_code == 422
