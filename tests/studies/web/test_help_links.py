from starlette.testclient import TestClient


def test_pages_of_the_lead_link_to_their_topic(client: TestClient) -> None:
    assert 'href="/help/tutorial#1-start">Help' in client.get("/studies/new").text
    assert 'href="/help/security#leads">Help' in client.get("/account").text
    assert 'href="/help">Help' in client.get("/help").text
