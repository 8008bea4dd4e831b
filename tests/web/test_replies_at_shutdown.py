"""A web process that ends leaves the replies that it makes to others."""

import pytest
from sqlalchemy import Engine
from starlette.testclient import TestClient

from app.cli.listen import _config
from app.main import create_app
from tests.kit.conversations import whole_reply


def test_the_end_of_a_process_closes_its_replies(engine: Engine) -> None:
    app = create_app(engine)
    with TestClient(app):
        app.state.replies.prepare()
    with pytest.raises(RuntimeError, match="No replies are made any more"):
        whole_reply(app.state.replies, 1, 1)


def test_servers_tell_the_application_that_they_end() -> None:
    assert _config(1).lifespan == "on"
