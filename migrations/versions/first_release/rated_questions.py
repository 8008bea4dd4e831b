"""The triggers that ensure that the question of a rating exists, and stays."""

from alembic import op

# Ratings have no foreign key to questions: each answer would lock the row of its question, and as all raters of a
# study answer the same few questions at once, PostgreSQL would record for each answer who else holds the lock. With
# submits on 32 connections, this was a seventh of PostgreSQL's time and a third of what it writes. Instead, a rating
# checks without a lock that its question exists. This is as safe, because a question is only deleted after waiting:
# - A rating locks the row of its rater, and a new rater that of the study, by their foreign keys. Deleting a question
#   locks these rows, which waits for ratings that are not committed yet, and then looks for ratings.
# - A rating that comes meanwhile waits for its rater's row. It looks for its question afterwards: triggers of one event
#   run in the order of their names, and those of foreign keys begin with a capital letter.
CHECK_QUESTION_EXISTS = """\
CREATE OR REPLACE FUNCTION public.check_question_exists()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM questions WHERE study_id = NEW.study_id AND key = NEW.question) THEN
    RAISE foreign_key_violation USING MESSAGE = 'the question of a rating does not exist',
      TABLE = 'ratings', COLUMN = 'question', CONSTRAINT = 'question_exists';
  END IF;
  RETURN NULL;
END $function$
"""
QUESTION_EXISTS = """\
CREATE TRIGGER question_exists AFTER INSERT OR UPDATE OF study_id, question ON ratings
FOR EACH ROW EXECUTE FUNCTION check_question_exists()
"""
CHECK_QUESTION_NOT_RATED = """\
CREATE OR REPLACE FUNCTION public.check_question_not_rated()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM studies WHERE id = OLD.study_id FOR UPDATE;
  IF FOUND THEN  -- otherwise the study itself is being deleted, with its raters and their ratings
    PERFORM FROM raters WHERE study_id = OLD.study_id FOR UPDATE;
    IF EXISTS (SELECT FROM ratings WHERE study_id = OLD.study_id AND question = OLD.key) THEN
      RAISE foreign_key_violation USING MESSAGE = 'the question has ratings',
        TABLE = 'ratings', COLUMN = 'question', CONSTRAINT = 'question_not_rated';
    END IF;
  END IF;
  RETURN NULL;
END $function$
"""
QUESTION_NOT_RATED = """\
CREATE TRIGGER question_not_rated AFTER DELETE OR UPDATE OF study_id, key ON questions
FOR EACH ROW EXECUTE FUNCTION check_question_not_rated()
"""


def create_question_triggers() -> None:
    for statement in (CHECK_QUESTION_EXISTS, QUESTION_EXISTS, CHECK_QUESTION_NOT_RATED, QUESTION_NOT_RATED):
        op.execute(statement)


def drop_question_triggers() -> None:
    for function in ("check_question_exists", "check_question_not_rated"):
        op.execute(f"DROP FUNCTION {function}()")
