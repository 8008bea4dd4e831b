"""Check that a message comes from Attune and was sent within the last five minutes."""

import base64
import hmac
import time


def is_genuine(secret: str, headers: dict[str, str], body: bytes, tolerance_s: float = 300) -> bool:
    """secret: whsec_...; headers: of the request, with names in lower case; body: the bytes of the request."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    is_recent = abs(time.time() - int(headers["webhook-timestamp"])) <= tolerance_s
    return is_recent and any(hmac.compare_digest(one, expected) for one in headers["webhook-signature"].split())
