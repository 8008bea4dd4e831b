"""An answer that was sent piece by piece, put together again."""

from __future__ import annotations

import json
from typing import Any


def completion_of(stream: str) -> dict[str, Any]:
    r"""The completion that the events of a stream make up; events that are no JSON are left out.

    >>> completion_of('data: {"choices": [{"delta": {"content": "4"}}]}\n\ndata: [DONE]')["choices"][0]["message"]
    {'content': '4'}
    """
    body: dict[str, Any] = {}
    message: dict[str, str] = {}
    choice: dict[str, Any] = {"message": message}
    tokens: list[Any] = []
    for line in stream.splitlines():
        try:
            event = json.loads(line.removeprefix("data:"))
        except ValueError:
            continue
        if not line.startswith("data:") or not isinstance(event, dict):
            continue
        body |= {name: value for name, value in event.items() if name != "choices" and value is not None}
        for one in event.get("choices") or ():
            for name, value in (one.get("delta") or {}).items():
                if isinstance(value, str) and name != "role":
                    message[name] = message.get(name, "") + value
            tokens += (one.get("logprobs") or {}).get("content") or ()
            if one.get("finish_reason"):
                choice["finish_reason"] = one["finish_reason"]
    if tokens:
        choice["logprobs"] = {"content": tokens}
    return body | {"choices": [choice] if message or "finish_reason" in choice else []}
