"""Statements of a provider are trusted only after all checks, and a provider that misbehaves costs little."""

import time
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from app.accounts.openid.id_token import Attempt, Identity, OpenIdError, ProviderError, RefusedError, read_id_token
from app.accounts.openid.provider import MAX_BYTES
from tests.kit.openid_server import CLIENT_ID, SECRET, State, openid_server, rsa_key, signed_with_public_key, unsigned


@pytest.fixture
def there() -> Iterator[State]:
    with openid_server() as state:
        yield state


def sign_in(there: State, *strengths: str) -> Identity:
    """The whole way: to the provider and back, in one browser."""
    provider, attempt = there.provider(strengths=strengths), Attempt()
    back = there.authorize(provider.authorization_address(attempt))
    assert attempt.accepts(back["state"])
    return provider.identify(back["code"], attempt, back["iss"])


def test_identity_is_read_from_a_valid_token(there: State) -> None:
    assert sign_in(there) == Identity(there.issuer, "person-1", "lead@example.org")


@pytest.mark.parametrize("claims", [{"acr": "gold"}, {"amr": ["pwd", "mfa"]}, {"acr": "0", "amr": ["mfa"]}])
def test_required_strength_of_sign_in_is_asked_for_and_accepted(there: State, claims: dict[str, Any]) -> None:
    address = there.provider(strengths=("gold", "mfa")).authorization_address(Attempt())
    assert "acr_values=gold+mfa" in address
    there.claims |= claims
    assert sign_in(there, "gold", "mfa").subject == "person-1"


@pytest.mark.parametrize("claims", [{}, {"acr": "silver"}, {"amr": ["pwd"]}, {"amr": "mfa"}, {"acr": ["gold"]}])
def test_weaker_sign_in_is_refused(there: State, claims: dict[str, Any]) -> None:
    there.claims |= claims
    with pytest.raises(RefusedError) as refused:
        sign_in(there, "gold", "mfa")
    assert "amr" in refused.value.detail


PAST, FUTURE = int(time.time()) - 3600, int(time.time()) + 3600


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"nonce": "another"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"aud": "another"}, "aud"),
        ({"aud": [CLIENT_ID, "another"]}, "azp"),
        ({"azp": "another"}, "azp"),
        ({"iss": "https://evil.example"}, "iss"),
        ({"exp": PAST}, "exp"),
        ({"exp": None}, "exp"),
        ({"iat": FUTURE, "exp": FUTURE + 300}, ""),
        ({"iat": None}, "iat"),
        ({"sub": None}, "sub"),
        ({"sub": ["a"]}, "sub"),
        ({"sub": ""}, "sub"),
    ],
)
def test_wrong_claim_is_refused(there: State, claims: dict[str, Any], why: str) -> None:
    there.claims |= claims
    with pytest.raises(RefusedError) as refused:
        sign_in(there)
    assert why in refused.value.detail


@pytest.mark.parametrize(
    "forged",
    [
        unsigned,
        lambda claims: jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET * 2)),
        signed_with_public_key,
        lambda claims: jwt.encode({"alg": "RS256", "kid": "key-1"}, claims, rsa_key("key-2")),
        lambda claims: jwt.encode({"alg": "RS256", "kid": "key-2"}, claims, rsa_key("key-2")),
        lambda _: "no.token.at-all",
    ],
    ids=["alg none", "secret as key", "public key as secret", "other key", "unknown key", "no token"],
)
@pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")
def test_forged_token_is_refused(there: State, forged: Any) -> None:  # noqa: ANN401 - a function of claims
    there.token = forged
    with pytest.raises(RefusedError):
        sign_in(there)


@pytest.mark.parametrize("verified", [None, False, "true", 1, "yes"])
def test_email_counts_only_if_verified(there: State, verified: object) -> None:
    there.claims["email_verified"] = verified
    assert sign_in(there).email is None


@pytest.mark.parametrize(("domain_verified", "email"), [(True, "lead@example.org"), (False, None)])
def test_entra_states_verified_domains_instead(domain_verified: object, email: str | None) -> None:
    issuer, now = "https://login.microsoftonline.com/tenant/v2.0", int(time.time())
    claims = {"iss": issuer, "aud": CLIENT_ID, "sub": "a", "iat": now, "exp": now + 60, "nonce": "n"}
    claims |= {"email": "lead@example.org", "xms_edov": domain_verified}
    token = jwt.encode({"alg": "RS256", "kid": "key-1"}, claims, rsa_key())
    keys = {"keys": [rsa_key().as_dict(private=False)]}
    assert read_id_token(token, keys, issuer=issuer, client_id=CLIENT_ID, nonce="n").email == email


def test_code_works_once_and_only_with_the_verifier_of_its_attempt(there: State) -> None:
    provider, attempt = there.provider(), Attempt()
    code = there.authorize(provider.authorization_address(attempt))["code"]
    with pytest.raises(RefusedError, match="valid"):
        provider.identify(code, Attempt())
    again = there.authorize(provider.authorization_address(attempt))["code"]
    assert provider.identify(again, attempt)
    with pytest.raises(RefusedError) as refused:
        provider.identify(again, attempt)
    assert "invalid_grant" in refused.value.detail


def test_response_of_another_issuer_is_refused(there: State) -> None:
    provider, attempt = there.provider(), Attempt()
    code = there.authorize(provider.authorization_address(attempt))["code"]
    with pytest.raises(RefusedError):
        provider.identify(code, attempt, "https://evil.example")


@pytest.mark.parametrize(
    "discovery",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://id.example.org/token"},
        {"jwks_uri": None},
        {"authorization_endpoint": "javascript:alert(1)"},
    ],
)
def test_discovery_of_another_issuer_or_without_https_is_refused(there: State, discovery: dict[str, Any]) -> None:
    there.discovery = discovery
    with pytest.raises(ProviderError):
        there.provider().authorization_address(Attempt())


@pytest.mark.parametrize("body", [b"[]", b"<html>", b"[" * 100_000, b'{"a": "' + b"x" * MAX_BYTES + b'"}'])
def test_discovery_that_is_huge_or_no_object_is_refused(there: State, body: bytes) -> None:
    there.body = body
    with pytest.raises(ProviderError):
        there.provider().authorization_address(Attempt())


def test_slow_provider_is_given_up(there: State) -> None:
    there.waits = Event()
    with pytest.raises(ProviderError):
        there.provider(deadline_s=0.2).authorization_address(Attempt())


def test_only_a_few_sign_ins_wait_for_the_provider_at_once(there: State) -> None:
    provider = there.provider()
    with provider._turn(), provider._turn(), provider._turn(), provider._turn(), pytest.raises(ProviderError):
        provider.authorization_address(Attempt())
    assert provider.authorization_address(Attempt())


def test_visitor_is_told_about_unreachable_provider_without_details(there: State) -> None:
    provider = there.provider()
    with openid_server() as gone:
        provider = gone.provider()
    with pytest.raises(OpenIdError) as failed:
        provider.authorization_address(Attempt())
    assert "127.0.0.1" not in failed.value.sentence
    assert "ConnectionRefusedError" in failed.value.detail


def test_discovery_is_read_once_in_ten_minutes(there: State) -> None:
    provider = there.provider()
    provider.authorization_address(Attempt())
    provider.authorization_address(Attempt())
    assert there.asked == ["/.well-known/openid-configuration"]


def test_client_authenticates_in_the_form_if_only_that_is_offered(there: State) -> None:
    form, headers = there.provider()._credentials({"token_endpoint_auth_methods_supported": ["client_secret_post"]})
    assert (form, headers) == ({"client_id": CLIENT_ID, "client_secret": SECRET}, {})


def test_secret_is_not_in_representations(there: State) -> None:
    attempt = Attempt()
    assert SECRET not in repr(there.provider().client)
    assert attempt.secret not in repr(attempt)
