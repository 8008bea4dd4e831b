"""From an event of a study to its webhooks: the outbox, attempts, retries and pauses."""

import json
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from app.accounts.lead_access import add_lead
from app.accounts.leads import Lead
from app.base.database.engine import transactions
from app.protocol.allocation.randomization import seeded
from app.rating.life_cycle import open_study
from app.rating.withdrawal.rater_data import get_rater_data
from app.rating.withdrawal.withdraw import withdraw
from app.studies.audit import list_acts
from app.studies.studies import StudyRow, delete_study, get_study
from app.webhooks.addresses import Networks, parse_networks
from app.webhooks.deliveries import DueDelivery, claim_due, list_deliveries
from app.webhooks.events import MAX_WEBHOOKS
from app.webhooks.outbox import enqueue_full, enqueue_test
from app.webhooks.retries import MAX_ATTEMPTS
from app.webhooks.sender import Outcome, send_due
from app.webhooks.subscriptions import WebhookError, add_webhook, list_webhooks, resume_webhook
from benchmarks.fault_clock import SET, make_settable
from tests.kit.lead_studies import study_of
from tests.kit.raters import rate_until_full
from tests.kit.receiver import receiver
from tests.kit.stored_raters import Rater

LOOPBACK = parse_networks("127.0.0.1")
BOTH = ("session.finished", "study.full")
ADDRESS = "https://lab.example.org/hook"


def prepare(db: Connection, address: str = ADDRESS) -> tuple[StudyRow, Lead]:
    """An open study of one item that two raters rate, with a webhook for both events."""
    lead = add_lead(db, "lead@example.org")
    study_of(db, lead, item_keys=("exam",))
    open_study(db, "small")
    study = get_study(db, "small", lead.id)
    assert study
    add_webhook(db, study, lead, address=address, events=BOTH, networks=LOOPBACK)
    return study, lead


def rate_all(engine: Engine, who: str) -> Rater:
    rater = Rater(engine, who, "small")
    view = rater.begin()
    assert not isinstance(view, str)
    assert rater.submit(view)
    rater.look()
    assert rater.finish()
    assert rater.finish()
    return rater


def bodies(db: Connection, study_id: int) -> list[dict[str, Any]]:
    rows = db.execute(text("SELECT body FROM webhook_deliveries WHERE study_id = :s ORDER BY id"), {"s": study_id})
    return [json.loads(row.body) for row in rows]


def make_due(engine: Engine) -> None:
    """As if the time of the next attempt had come."""
    with engine.begin() as db:
        db.execute(text("UPDATE webhook_deliveries SET next_attempt_at = now() WHERE next_attempt_at IS NOT NULL"))


def deliver(engine: Engine, **given: Any) -> int:  # noqa: ANN401 - as `send_due`
    """Send what is due for every webhook; the attempts made."""
    with engine.begin() as db:
        webhooks = db.execute(text("SELECT study_id, id FROM webhooks")).all()
    return sum(send_due(transactions(engine), study, webhook, LOOPBACK, **given) for study, webhook in webhooks)


def jobs(engine: Engine) -> list[float]:
    """In how many seconds each job of the queue begins."""
    waits = text("SELECT extract(epoch FROM coalesce(scheduled_at, now()) - now()) FROM procrastinate_jobs ORDER BY id")
    with engine.begin() as db:
        return [max(0.0, float(one)) for one in db.execute(waits).scalars()]


def answering(status: int | None, *, retry_after_s: float = 0) -> Any:  # noqa: ANN401 - a function
    def attempt(due: DueDelivery, networks: Networks) -> Outcome:
        return Outcome(status, "said", retry_after_s)

    return attempt


@pytest.mark.parametrize("status", [204, 410])
def test_webhook_for_which_nothing_waits_asks_for_no_further_job(engine: Engine, status: int) -> None:
    """Each job asked for the next one at once, endlessly, for every webhook that had ever been used."""
    with engine.begin() as db:
        prepare(db)
    rate_all(engine, "ann")
    with engine.begin() as db:
        db.execute(text("DELETE FROM procrastinate_jobs"))
    assert deliver(engine, attempt=answering(status)) == 1
    assert jobs(engine) == []


def test_events_are_delivered_once_and_deleted_with_rater_and_study(engine: Engine) -> None:
    with receiver() as there:
        with engine.begin() as db:
            study, _ = prepare(db, there.address)
        rater = rate_all(engine, "ann")
        with engine.begin() as db:
            assert [one["type"] for one in bodies(db, study.id)] == ["session.finished"]
        rate_all(engine, "ben")
        with engine.begin() as db:
            enqueue_full(db, study.id)
        assert jobs(engine) == [0]
        assert [deliver(engine) for _ in range(2)] == [3, 0]
    received = [json.loads(body) for _, body in there.received]
    assert sorted(one["type"] for one in received) == ["session.finished", "session.finished", "study.full"]
    assert {one["data"]["study"] for one in received} == {"small"}
    assert len({headers["webhook-id"] for headers, _ in there.received}) == 3
    with engine.begin() as db:
        assert {one.state for one in list_deliveries(db, study.id, 10)} == {"delivered"}
        assert len(get_rater_data(db, study.id, rater.rater_id or 0)["webhook_deliveries"]) == 1
        withdraw(db, rater.session(db), is_deletion=True)
        assert len(list_deliveries(db, study.id, 10)) == 2
        delete_study(db, study.id)
        assert db.execute(text("SELECT count(*) FROM webhooks")).scalar_one() == 0


def test_event_of_a_transaction_that_fails_is_not_sent(engine: Engine) -> None:
    with engine.begin() as db:
        study, _ = prepare(db)
    with engine.connect() as db:
        db.begin()
        enqueue_test(db, study.id, list_webhooks(db, study.id)[0].id)
        db.rollback()
    assert deliver(engine, attempt=answering(200)) == 0


def test_simulated_raters_cause_no_session_events(db: Connection) -> None:
    study, _ = prepare(db)
    rate_until_full(db, "small")
    assert [one["type"] for one in bodies(db, study.id)] == ["study.full"]


def test_attempt_of_a_killed_sender_is_repeated_with_the_same_id(engine: Engine) -> None:
    with engine.begin() as db:
        study, _ = prepare(db)
    rate_all(engine, "ann")
    with engine.begin() as db:
        (webhook,) = list_webhooks(db, study.id)
        first = claim_due(db, study.id, webhook.id)
    with engine.begin() as db:
        assert claim_due(db, study.id, webhook.id) is None
    make_due(engine)
    with engine.begin() as db:
        second = claim_due(db, study.id, webhook.id)
    assert first
    assert second
    assert (first.message_id, first.n_attempts) == (second.message_id, second.n_attempts - 1)


def test_failures_are_repeated_and_at_last_given_up(engine: Engine) -> None:
    with engine.begin() as db:
        study, _ = prepare(db)
    rate_all(engine, "ann")
    for n in range(MAX_ATTEMPTS):
        assert deliver(engine, attempt=answering(500), rng=seeded(1)) == 1
        assert deliver(engine, attempt=answering(500)) == 0
        with engine.begin() as db:
            (delivery,) = list_deliveries(db, study.id, 10)
        assert (delivery.n_attempts, delivery.status, delivery.answer) == (n + 1, 500, "said")
        assert delivery.state == ("waiting" if n < MAX_ATTEMPTS - 1 else "given up")
        make_due(engine)
    assert deliver(engine, attempt=answering(200)) == 0


def test_failed_delivery_is_a_job_of_its_time_and_a_newer_event_is_sent_at_once(engine: Engine) -> None:
    with engine.begin() as db:
        study, _ = prepare(db)
    rate_all(engine, "ann")
    with engine.begin() as db:
        db.execute(text("DELETE FROM procrastinate_jobs"))
    deliver(engine, attempt=answering(500), rng=seeded(1))
    (wait,) = jobs(engine)
    assert 3 < wait < 6
    with engine.begin() as db:
        enqueue_test(db, study.id, list_webhooks(db, study.id)[0].id)
    assert jobs(engine) == [0]


def test_many_messages_to_a_slow_receiver_let_other_webhooks_go_first(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.webhooks.sender.TURN_S", 0)
    with engine.begin() as db:
        prepare(db)
    rate_all(engine, "ann")
    with engine.begin() as db:
        db.execute(text("DELETE FROM procrastinate_jobs"))
    assert deliver(engine, attempt=answering(200)) == 0
    assert jobs(engine) == [0]


def test_delivery_planned_by_a_clock_that_was_ahead_is_due(engine: Engine) -> None:
    with engine.begin() as db:
        prepare(db)
    rate_all(engine, "ann")
    ahead = "SET next_attempt_at = now() + interval '30 days 2 hours', {} = now() + interval '30 days'"
    for column in ("created_at", "attempted_at"):
        with engine.begin() as db:
            db.execute(text(f"UPDATE webhook_deliveries {ahead.format(column)}"))
        assert deliver(engine, attempt=answering(500)) == 1
        assert deliver(engine, attempt=answering(500)) == 0


def test_retry_is_due_although_the_clock_was_set_ahead_while_the_request_was_under_way(engine: Engine) -> None:
    with engine.begin() as db:
        prepare(db)
        make_settable(db)
    engine.dispose()  # new connections read the settable clock
    rate_all(engine, "ann")

    def set_ahead(_due: DueDelivery, _networks: Networks) -> Outcome:
        set_clock(engine, 30)
        return Outcome(500, "")

    assert deliver(engine, attempt=set_ahead) == 1
    set_clock(engine, 0)
    assert deliver(engine, attempt=answering(200)) == 1


def set_clock(engine: Engine, hours: int) -> None:
    with engine.begin() as db:
        db.exec_driver_sql(SET, (hours,))


def test_failing_webhook_is_paused_and_resumed(engine: Engine) -> None:
    with engine.begin() as db:
        study, _ = prepare(db)
        (webhook,) = list_webhooks(db, study.id)
        db.execute(text("UPDATE webhooks SET n_failures = 9, failing_since = now() - interval '25 hours'"))
    rate_all(engine, "ann")
    assert deliver(engine, attempt=answering(None)) == 1
    make_due(engine)
    assert deliver(engine, attempt=answering(200)) == 0
    with engine.begin() as db:
        assert list_webhooks(db, study.id)[0].paused_at
        assert list_acts(db, study.id)[0].action == "webhook paused"
        enqueue_test(db, study.id, webhook.id)
    assert deliver(engine, attempt=answering(500)) == 1
    with engine.begin() as db:
        assert list_deliveries(db, study.id, 1)[0].state == "given up"
        resume_webhook(db, study.id, webhook.id)
    assert deliver(engine, attempt=answering(200)) == 1
    with engine.begin() as db:
        assert list_webhooks(db, study.id)[0].n_failures == 0


def test_receiver_that_is_gone_is_paused_at_once(engine: Engine) -> None:
    with engine.begin() as db:
        study, _ = prepare(db)
    rate_all(engine, "ann")
    deliver(engine, attempt=answering(410))
    with engine.begin() as db:
        assert "410" in (list_webhooks(db, study.id)[0].pause_reason or "")


@pytest.mark.parametrize(
    ("address", "events", "words"),
    [
        ("http://lab.example.org", BOTH, "https"),
        (ADDRESS, (), "at least one"),
        (ADDRESS, ("session.finished", "other"), "at least one"),
    ],
)
def test_impossible_webhook_is_explained(db: Connection, address: str, events: tuple[str, ...], words: str) -> None:
    study, lead = prepare(db)
    with pytest.raises(WebhookError, match=words):
        add_webhook(db, study, lead, address=address, events=events)


def test_webhooks_of_a_study_are_limited(db: Connection) -> None:
    study, lead = prepare(db)
    for number in range(1, MAX_WEBHOOKS):
        add_webhook(db, study, lead, address=f"{ADDRESS}/{number}", events=BOTH)
    with pytest.raises(WebhookError, match="10 webhooks"):
        add_webhook(db, study, lead, address=f"{ADDRESS}/{MAX_WEBHOOKS}", events=BOTH)
