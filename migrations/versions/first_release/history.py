"""The trigger that keeps the earlier value of a changed rating."""

from alembic import op

KEEP_RATING_HISTORY = """\
CREATE OR REPLACE FUNCTION public.keep_rating_history()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO rating_history (study_id, rating_id, number, outcome, chosen_response_id, strength, codes, text, side,
                              idempotency_key, rated_at)
  VALUES (OLD.study_id, OLD.id, OLD.number, OLD.outcome, OLD.chosen_response_id, OLD.strength, OLD.codes, OLD.text,
          OLD.side, OLD.idempotency_key, OLD.rated_at);
  RETURN NULL;
END $function$
"""
KEEP_HISTORY = """\
CREATE TRIGGER keep_history AFTER UPDATE ON ratings FOR EACH ROW
WHEN (OLD.number IS DISTINCT FROM NEW.number OR OLD.outcome IS DISTINCT FROM NEW.outcome
  OR OLD.chosen_response_id IS DISTINCT FROM NEW.chosen_response_id OR OLD.strength IS DISTINCT FROM NEW.strength
  OR OLD.codes IS DISTINCT FROM NEW.codes OR OLD.text IS DISTINCT FROM NEW.text)
EXECUTE FUNCTION keep_rating_history()
"""


def create_rating_trigger() -> None:
    op.execute(KEEP_RATING_HISTORY)
    op.execute(KEEP_HISTORY)


def drop_rating_trigger() -> None:
    op.execute("DROP FUNCTION keep_rating_history()")
