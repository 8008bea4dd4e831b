"""How a text was typed: when, where and how much was changed, never which characters; and what is counted of it."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

ChangeKind = Literal["typed", "pasted", "suggested", "other"]
KINDS: tuple[ChangeKind, ...] = ("typed", "pasted", "suggested", "other")
# Of one batch, and of one text: three hours at two changes per second. What is typed after that is not recorded.
MAX_IN_BATCH, MAX_CHANGES = 2_000, 20_000
_MAX_ID, _MAX_NUMBER = 60, 10**9
# The usual limit between transcribing and thinking (Leijten and Van Waes 2013, https://doi.org/10.1177/0741088313491692).
PAUSE_MS = 2_000


class Change(NamedTuple):
    """One change of a text: `ms` after it was first shown, at a position, characters taken away and added."""

    ms: int
    kind: ChangeKind
    at: int
    n_removed: int
    n_added: int


class Batch(NamedTuple):
    """What a page sends at once. `id` tells a batch that is sent again from a new one."""

    id: str
    changes: tuple[Change, ...]


def read_batch(words: str) -> Batch | None:
    """A batch as its page sends it, `{"id": ..., "changes": [[ms, kind, at, n_removed, n_added], ...]}`.

    Returns:
        None for anything else, and for too many changes.

    >>> read_batch('{"id": "a", "changes": [[40, "typed", 0, 0, 1]]}').changes
    (Change(ms=40, kind='typed', at=0, n_removed=0, n_added=1),)
    >>> read_batch("typed")
    """
    try:
        sent: Any = json.loads(words)
    except (ValueError, RecursionError):
        return None
    match sent:
        case {"id": str(name), "changes": [*listed]} if 0 < len(name) <= _MAX_ID and 0 < len(listed) <= MAX_IN_BATCH:
            changes = [_change(one) for one in listed]
            return Batch(name, tuple(one for one in changes if one)) if all(changes) else None
    return None


def _change(sent: Any) -> Change | None:  # noqa: ANN401 - whatever was sent
    is_change = isinstance(sent, list) and len(sent) == len(Change._fields) and sent[1] in KINDS
    # A boolean is an int, but no number.
    if is_change and all(type(number) is int and 0 <= number <= _MAX_NUMBER for number in (sent[0], *sent[2:])):
        return Change(*sent)
    return None


def typing_of(changes: Sequence[Change]) -> dict[str, object]:
    """What is counted of the changes of one text, in their order; nothing if there are none.

    Returns:
        `first_key_seconds`: until the first change; `n_pauses` of 2 s or more between two changes, and
        `pause_seconds`, their sum; `share_pasted`: of the characters that came in other than by suggestions, if any;
        `n_revisions`: runs of changes that take characters away or come before the end of the text.

    >>> typed = [Change(1000, "typed", 0, 0, 1), Change(4000, "typed", 1, 0, 1), Change(4200, "typed", 1, 1, 0)]
    >>> typing_of(typed)
    {'first_key_seconds': 1.0, 'n_pauses': 1, 'pause_seconds': 3.0, 'share_pasted': 0.0, 'n_revisions': 1}
    """
    if not changes:
        return {}
    gaps = [later.ms - earlier.ms for earlier, later in pairwise(changes)]
    pauses = [gap for gap in gaps if gap >= PAUSE_MS]
    added = {kind: sum(one.n_added for one in changes if one.kind == kind) for kind in KINDS}
    n_own = sum(added.values()) - added["suggested"]
    return {
        "first_key_seconds": changes[0].ms / 1000,
        "n_pauses": len(pauses),
        "pause_seconds": sum(pauses) / 1000,
        "share_pasted": round(added["pasted"] / n_own, 4) if n_own else "",
        "n_revisions": _n_revisions(changes),
    }


def _n_revisions(changes: Sequence[Change]) -> int:
    n, length, is_revising = 0, 0, False
    for one in changes:
        was_revising = is_revising
        is_revising = one.n_removed > 0 or one.at < length
        n += is_revising and not was_revising
        length += one.n_added - one.n_removed
    return n
