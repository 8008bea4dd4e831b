"""Pools: each rates its own items, recipients only theirs, and a personal link leads to its rater."""

import json
from collections import Counter
from typing import Any

import pytest
from sqlalchemy import Connection, text

from app.rating.arrival.arrivals import ArrivalStudy, get_arrival_study
from app.rating.arrival.invitations import InviteError, invite_raters
from app.rating.life_cycle import open_study
from app.rating.rater_path import Arrival, InvitedOnlyError, arrive
from tests.kit.builder import EMPATHY, build_study, protocol_of
from tests.kit.raters import rate_as, rate_until_full

OWN = {"recipient": {"items": "own"}, "crowd": {"raters_per_trial": 2}}
PANEL = {"expert": {"items": "pool", "raters_per_trial": 2}, "crowd": {"raters_per_trial": 3}}


def opened(db: Connection, columns: list[dict[str, str]], raters: dict[str, str], **design: Any) -> ArrivalStudy:  # noqa: ANN401
    """Open a study whose items have these columns and whose raters.csv lists these raters, as pool by key."""
    study = build_study(
        db, protocol_of(design={"trials": "pairs", **design}, questions=[EMPATHY]), n_items=len(columns)
    )
    for place, cells in enumerate(columns):
        db.execute(
            text("UPDATE items SET attributes = CAST(:cells AS jsonb) WHERE key = :key"),
            {"cells": json.dumps(cells), "key": f"item-{place}"},
        )
    for key, pool in raters.items():
        row = {"study": study, "key": key, "pool": pool}
        db.execute(text("INSERT INTO raters (study_id, key, pool) VALUES (:study, :key, :pool)"), row)
    open_study(db, "study")
    arrival_study = get_arrival_study(db, "study")
    assert arrival_study
    return arrival_study


def rated(db: Connection) -> Counter[tuple[str, str]]:
    """How often each pool rated each item."""
    found = db.execute(
        text("""
        SELECT r.pool, i.key, count(*) FROM assignments a JOIN raters r ON r.id = a.rater_id
        JOIN trials t ON t.id = a.trial_id JOIN items i ON i.id = t.item_id WHERE a.state = 'done' GROUP BY 1, 2
    """)
    )
    return Counter({(pool, item): n for pool, item, n in found})


def test_recipients_rate_own_items_and_crowd_rates_all(db: Connection) -> None:
    owners = [{"rater": "anna"}, {"rater": "anna"}, {"rater": "ben"}, {}]
    opened(db, owners, {"anna": "recipient", "ben": "recipient"}, pools=OWN, open_pool="crowd")
    assert rate_until_full(db, "study") == 4
    crowd = {("crowd", f"item-{n}"): 2 for n in range(4)}
    assert rated(db) == {**crowd, **{("recipient", f"item-{n}"): 1 for n in range(3)}}
    found = db.execute(
        text("""
        SELECT DISTINCT r.key, i.attributes ->> 'rater' FROM assignments a JOIN raters r ON r.id = a.rater_id
        JOIN trials t ON t.id = a.trial_id JOIN items i ON i.id = t.item_id WHERE r.pool = 'recipient'
    """)
    )
    assert {tuple(row) for row in found} == {("anna", "anna"), ("ben", "ben")}


def test_experts_rate_pool_items_with_own_number_of_raters(db: Connection) -> None:
    named = dict.fromkeys(("e1", "e2", "e3"), "expert")
    opened(db, [{"pool": "expert"}, {"pool": "expert"}, {}], named, pools=PANEL, open_pool="crowd")
    rate_until_full(db, "study")
    assert rated(db) == {
        **{("crowd", f"item-{n}"): 3 for n in range(3)},
        ("expert", "item-0"): 2,
        ("expert", "item-1"): 2,
    }


def test_personal_link_leads_to_its_rater_and_replaces_earlier(db: Connection) -> None:
    arrival_study = opened(db, [{"rater": "anna"}], {"anna": "recipient"}, pools=OWN, open_pool="crowd")
    (name, first), *others = invite_raters(db, arrival_study)
    assert (name, others) == ("anna", [])
    assert invite_raters(db, arrival_study) == []
    rating_session = arrive(db, arrival_study, Arrival("invite", first, {}))
    [(_, second)] = invite_raters(db, arrival_study, ["anna"])
    again = arrive(db, arrival_study, Arrival("invite", second, {}))
    assert rating_session
    assert again
    assert (rating_session.rater_id, rating_session.token) == (again.rater_id, again.token)
    assert arrive(db, arrival_study, Arrival("invite", first, {})) is None
    assert db.execute(text("SELECT key FROM raters WHERE id = :id"), {"id": again.rater_id}).scalar_one() == "anna"


def test_only_valid_new_raters_are_invited_into_a_pool(db: Connection) -> None:
    arrival_study = opened(db, [{}], {"e1": "expert", "judge": "expert"}, pools={"expert": {"raters_per_trial": 1}})
    db.execute(text("UPDATE raters SET kind = 'model' WHERE key = 'judge'"))
    assert [key for key, _ in invite_raters(db, arrival_study, ["e9"], "expert")] == ["e9"]
    for keys, pool in ((["e8"], None), (["judge"], None), (["judge"], "expert"), (["e8"], "crowd")):
        with pytest.raises(InviteError):
            invite_raters(db, arrival_study, keys, pool)
    assert [key for key, _ in invite_raters(db, arrival_study)] == ["e1"]


def test_study_without_open_pool_refuses_open_links(db: Connection) -> None:
    arrival_study = opened(db, [{}], {"e1": "expert", "e2": "expert"}, pools={"expert": {"raters_per_trial": 2}})
    with pytest.raises(InvitedOnlyError):
        arrive(db, arrival_study, Arrival("participant", "carl", {}))
    assert db.execute(text("SELECT count(*) FROM raters")).scalar_one() == 2


def test_open_link_rater_joins_open_pool_only(db: Connection) -> None:
    opened(db, [{}, {}], {"e1": "expert"}, pools={"expert": {"raters_per_trial": 1}, "crowd": {}}, open_pool="crowd")
    assert all(rate_as(db, "study", f"rater-{n}", 1) for n in range(3))
    assert not rate_as(db, "study", "rater-3", 1)
    assert rated(db) == {("crowd", "item-0"): 3, ("crowd", "item-1"): 3}
