"""The description of the API is true: requests made from it are answered as it says, whatever they contain."""

import json
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import Case
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient

from app.api import openapi
from tests.kit.examples import examples

# Who may ask what is the matter of the cast; that each value that fits the schema is accepted cannot be promised.
CHECKS: list[CheckFunction] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


def without_tokens() -> dict[str, Any]:
    """The description as if no token were needed: the program sends a good one with every request."""
    described = json.loads(json.dumps(openapi()))
    del described["components"]["securitySchemes"]
    for path in described["paths"].values():
        for operation in path.values():
            del operation["security"]
    return dict(described)


schema = schemathesis.openapi.from_dict(without_tokens())


def test_description_is_complete() -> None:
    paths = openapi()["paths"]
    operations = [operation for path in paths.values() for operation in path.values()]
    assert openapi()["openapi"].startswith("3.1")
    assert all({"401", "403", "404", "422", "429"} <= set(one["responses"]) for one in operations)
    assert all(one["security"] and one["summary"] and one["description"] for one in operations)
    assert len({one["operationId"] for one in operations}) == len(operations)


def few(n: int) -> settings:
    """So many examples of each operation, the same in every run."""
    return settings(
        max_examples=examples(n),
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


@schema.parametrize()
@few(4)
def test_answers_are_as_described(case: Case[Any], program: TestClient) -> None:
    check(case, program)


@pytest.mark.slow
@schema.parametrize()
@few(60)
def test_many_answers_are_as_described(case: Case[Any], program: TestClient) -> None:
    check(case, program)


def check(case: Case[Any], program: TestClient) -> None:
    """Send a request to the study of the test, and hold the answer against the description."""
    case.path_parameters = {**case.path_parameters, "slug": "small"}
    sent = case.as_transport_kwargs(base_url="http://testserver")
    response = program.request(
        sent["method"],
        sent["url"],
        params=sent.get("params"),
        json=sent.get("json"),
        content=sent.get("data"),
        headers=sent["headers"],
    )
    case.validate_response(response, checks=CHECKS)
