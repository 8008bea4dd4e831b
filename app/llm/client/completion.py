"""Read what an OpenAI-compatible server sent, in any of the forms in which servers send it: it has been paid for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from app.llm.client.endpoint import Reply, TokenProbability
from app.llm.client.request_errors import problem_in_body
from app.llm.client.thoughts import split_thoughts

_THOUGHTS = ("reasoning_content", "reasoning", "thinking")
_MAX_TOKENS = 2**31 - 1


def reply_of(found: object, headers: Mapping[str, str]) -> Reply:
    """The reply in the body of an answer with HTTP 200; fields of another kind than expected count as missing.

    Raises:
        RequestError: the body has no answer of a model; with the tokens that it names.
    """
    body = found if isinstance(found, dict) else {}
    choices = body.get("choices")
    choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
    tokens_in, tokens_out = (
        _tokens(body, "prompt_tokens", "input_tokens"),
        _tokens(body, "completion_tokens", "output_tokens"),
    )
    if (said := choice.get("error") or (body.get("error") or not choice)) and not _has_text(choice):
        raise problem_in_body(body if said is True else {"error": said}, headers, (tokens_in, tokens_out))
    message = _mapping(choice.get("message"))
    raw, beside = _parts(message.get("content", choice.get("text")))
    split = split_thoughts(raw)
    thoughts = [beside, *(_parts(message.get(name))[0] for name in _THOUGHTS), split.thoughts]
    usage = _mapping(body.get("usage"))
    refusal = message.get("refusal")
    return Reply(
        text=split.answer,
        stop=_text(choice.get("finish_reason") or choice.get("stop_reason")),
        refusal=_clean(refusal) if isinstance(refusal, str) and refusal.strip() else None,
        model_version=_text(body.get("model")),
        fingerprint=_text(body.get("system_fingerprint")) or None,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        probabilities=tuple(_probabilities(choice)),
        raw=raw,
        thoughts="\n\n".join(dict.fromkeys(part for part in map(str.strip, thoughts) if part)),
        response_id=_text(body.get("id")),
        provider=_text(body.get("provider")),
        tokens_cached=_count(_mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
        tokens_thinking=_count(_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens")),
    )


def _has_text(choice: Mapping[str, Any]) -> bool:
    return bool(_parts(_mapping(choice.get("message")).get("content"))[0])


def _mapping(found: object) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _clean(text: str) -> str:
    """A text that can be stored: half of a pair of code units cannot."""
    return text.encode("utf-8", "replace").decode()


def _text(found: object) -> str:
    return _clean(found) if isinstance(found, str) else ""


def _parts(found: object) -> tuple[str, str]:
    """The text and the thoughts of a content: a text, or a list of parts."""
    if isinstance(found, str):
        return _clean(found), ""
    if isinstance(found, dict):
        found = [found]
    if not isinstance(found, list):
        return "", ""
    said, thought = [], []
    for part in found:
        kind = str(_mapping(part).get("type", ""))
        if "think" in kind or "reasoning" in kind:
            thought.append("".join(_parts(part.get(name))[0] for name in ("thinking", "reasoning", "text", "summary")))
        elif isinstance(part, dict):
            said.append(_text(part.get("text")))
        else:
            said.append(_text(part))
    return "".join(said), "\n\n".join(thought)


def _tokens(body: Mapping[str, Any], *names: str) -> int:
    usage = _mapping(body.get("usage"))
    return next((count for name in names if (count := _count(usage.get(name)))), 0)


def _count(found: object) -> int:
    """A number of tokens, 0 if there is none."""
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        return 0
    return min(max(int(found), 0), _MAX_TOKENS)


def _probabilities(choice: Mapping[str, Any]) -> Iterator[TokenProbability]:
    content = _mapping(choice.get("logprobs")).get("content")
    for one in content if isinstance(content, list) else ():
        token, number = _mapping(one).get("token"), _mapping(one).get("logprob")
        if not isinstance(token, str) or not isinstance(number, int | float):
            continue
        listed = one.get("top_logprobs")
        others = tuple(
            (other["token"], float(other["logprob"]))
            for other in (listed if isinstance(listed, list) else ())
            if isinstance(_mapping(other).get("token"), str) and isinstance(other.get("logprob"), int | float)
        )
        yield TokenProbability(token, float(number), _bytes(one.get("bytes")), others)


def _bytes(found: object) -> bytes | None:
    """The bytes of a token, if the server sends them."""
    try:
        return bytes(found) if isinstance(found, list) else None
    except (TypeError, ValueError):
        return None
