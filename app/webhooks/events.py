"""Events that webhooks tell other programs about."""

from datetime import timedelta

SESSION_FINISHED = "session.finished"
STUDY_FULL = "study.full"
TEST = "webhook.test"
# The events that a webhook can be told about, with their labels. A test is sent whatever it asks for.
EVENTS = {SESSION_FINISHED: "Session finished", STUDY_FULL: "Study full"}
LABELS = {**EVENTS, TEST: "Test"}

MAX_WEBHOOKS, LONGEST_ADDRESS = 10, 1000
# A webhook is paused when nothing has arrived for this long, in at least this many attempts.
FAILING_FOR, MIN_FAILURES = timedelta(hours=24), 10
