"""A small study inserted directly into the tables, for tests of everything after loading."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, insert

from app.base.files.read_image import read_image
from app.protocol.study import Protocol
from app.studies.item_images import store_images
from app.studies.tables import items, protocols, questions, responses, sources, studies
from tests.kit.images import a_png

SOURCES = {"person": {"kind": "human"}, "model": {"kind": "model"}}
PREFERENCE = {"key": "preference", "target": "pair", "type": "choice", "text": "Which response is better?", "tie": True}
EMPATHY = {
    "key": "empathy",
    "target": "response",
    "type": "rating",
    "text": "How empathetic is it?",
    "scale": {1: "not", 2: "slightly", 3: "moderately", 4: "empathetic", 5: "very empathetic"},
}

# The words that every study template leaves for the lead to fill in.
TEMPLATE_WORDS = ("[name of the institution]", "[name and email address]", "[Ethics committee and approval number.]")


def protocol_of(slug: str = "study", **parts: Any) -> dict[str, Any]:  # noqa: ANN401 - any part of a protocol
    """Return a protocol with two sources, one choice and one rating, unless `parts` replaces them."""
    usual = {"attune": 1, "slug": slug, "title": "A study", "sources": SOURCES, "questions": [PREFERENCE, EMPATHY]}
    return {**usual, **parts}


def build_study(
    db: Connection,
    protocol: Mapping[str, Any],
    *,
    n_items: int = 3,
    texts: Sequence[Mapping[str, Any]] = (),
    status: str = "draft",
) -> int:
    """Store a study whose items have one response per source; return its ID.

    Args:
        db: the transaction.
        protocol: the content of study.yaml.
        n_items: the number of items, if `texts` is empty.
        texts: columns of each item; `responses` maps a source to its text or turns.
        status: draft, so that opening the study creates the trials.
    """
    parsed = Protocol.model_validate(protocol)
    study_id = db.execute(insert(studies).returning(studies.c.id).values(slug=parsed.slug, status=status)).scalar_one()
    _build_protocol(db, study_id, parsed, json.dumps(protocol))
    for place, question in enumerate(parsed.questions):
        kinds = {"type": question.type, "target": question.target}
        db.execute(insert(questions).values(study_id=study_id, key=question.key, position=place, **kinds))
    source_ids = {
        key: db.execute(
            insert(sources).returning(sources.c.id).values(study_id=study_id, key=key, position=place, kind=source.kind)
        ).scalar_one()
        for place, (key, source) in enumerate(parsed.sources.items())
    }
    for place, item in enumerate(texts or [{"key": f"item-{n}"} for n in range(n_items)]):
        _build_item(db, study_id, place, item, source_ids)
    return int(study_id)


def _build_protocol(db: Connection, study_id: int, parsed: Protocol, yaml: str) -> None:
    document = json.loads(parsed.model_dump_json())
    sha256 = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    version = {"study_id": study_id, "version": 1, "title": parsed.title}
    db.execute(insert(protocols).values(**version, document=document, yaml=yaml, sha256=sha256))


def _build_item(
    db: Connection, study_id: int, place: int, item: Mapping[str, Any], source_ids: Mapping[str, int]
) -> None:
    key = item.get("key", f"item-{place}")
    columns = {name: item.get(name) for name in ("turns", "profile", "content_note", "image", "image_alt")}
    words = item.get("text") or (None if item.get("turns") else f"The situation of {key}")
    if name := item.get("image"):
        store_images(db, study_id, {name: read_image(a_png((120, 80)))})
    item_id = db.execute(
        insert(items).returning(items.c.id).values(study_id=study_id, key=key, position=place, text=words, **columns)
    ).scalar_one()
    replies = item.get("responses", {source: f"{source} on {key}" for source in source_ids})
    for number, (source, reply) in enumerate(replies.items()):
        said = {"turns": reply} if isinstance(reply, list) else {"text": reply}
        db.execute(
            insert(responses).values(
                study_id=study_id,
                key=f"{key}:{source}",
                position=number,
                item_id=item_id,
                source_id=source_ids[source],
                **said,
            )
        )
