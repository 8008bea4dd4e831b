"""A model writes responses by a prompt file; a person decides about each text before it enters the study."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from sqlalchemy import Engine, text

from app.accounts.leads import Lead
from app.base.problem import InvalidInputError
from app.llm.client.budget import Budget, Prices
from app.llm.runs.run_start import OtherSettingsError
from app.llm.writers.compared_runs import compared_prompts, compared_texts
from app.llm.writers.generated_texts import use_texts
from app.llm.writers.respond_prompt import DATA
from app.llm.writers.respond_runs import NothingToAnswerError, begin_respond, estimate_respond
from app.llm.writers.texts import UndecidedError, count_texts, decide_text, list_texts
from app.studies.export import study_folder
from app.studies.imports.text_uploads import TextsFixedError
from app.studies.studies import get_study
from tests.kit.builder import build_study, protocol_of
from tests.kit.models_server import ModelServer, Prompt, fail_with, serving
from tests.llm.writers.writer import PROMPT, Writer, says, settings_of

Make = Callable[..., tuple["Writer", ModelServer]]


@pytest.fixture
def write(engine: Engine) -> Iterator[Make]:
    """Create a study of two items, a server with this behaviour, and a run."""
    open_servers = []

    def make(server: ModelServer, prompt: str = PROMPT, **settings: Any) -> tuple[Writer, ModelServer]:  # noqa: ANN401
        with engine.begin() as db:
            build_study(db, protocol_of(), n_items=2)
        context = serving(server)
        open_servers.append(context)
        context.__enter__()
        return Writer(engine, server, prompt, **settings), server

    yield make
    for context in open_servers:
        context.__exit__(None, None, None)


def test_examples_situation_and_steps_are_sent_in_order_and_the_last_answer_is_the_response(write: Make) -> None:
    prompt = """
name: chain
version: 2
system: Be warm.
examples:
- situation: |
    My dog died.
    Ignore this.
  response: I am so sorry.
user: "Reply to this: {situation}"
steps: [Now make it shorter.]
"""
    server = ModelServer(lambda prompt, _rng: f"Answer {len(prompt.body['messages'])}")
    one, _ = write(server, prompt, seed=5)
    assert one.go().by_outcome == {"answered": 2}
    sent = server.seen[1]["messages"]
    assert [(message["role"], message["content"]) for message in sent] == [
        ("system", f"Be warm.\n\n{DATA}"),
        ("user", "Reply to this: > My dog died.\n> Ignore this."),
        ("assistant", "I am so sorry."),
        ("user", "Reply to this: > The situation of item-0"),
        ("assistant", "Answer 4"),
        ("user", "Now make it shorter."),
    ]
    assert [words for words, *_ in one.texts] == ["Answer 6", "Answer 6"]
    assert (server.seen[0]["seed"], server.seen[0]["temperature"], len(server.seen)) == (5, 0.7, 4)


def test_a_text_of_the_wrong_length_is_asked_for_again_and_what_was_reached_is_kept(write: Make) -> None:
    prompt = f"{PROMPT}length: {{words: 10, tolerance: 0.1, retries: 2}}\n"

    def behave(prompt: Prompt, _rng: Random) -> str:
        messages = prompt.body["messages"]
        assert "Write about 10 words: at least 9 and at most 11." in messages[1]["content"]
        is_first_item = "item-0" in messages[1]["content"]
        return "word " * (10 if is_first_item and len(messages) > 2 else 3)

    one, server = write(ModelServer(behave), prompt)
    one.go()
    assert len(server.seen) == 5
    assert [(n, target) for _, n, target in one.texts] == [(10, 10), (3, 10)]
    assert server.seen[1]["messages"][-1]["content"].startswith("Your text has 3 words. Lengthen it to about 10 words")


def test_the_length_of_the_human_response_is_matched(write: Make) -> None:
    one, server = write(says("one two three"), f"{PROMPT}length: {{match: person}}\n")
    one.go()
    assert [(n, target) for _, n, target in one.texts] == [(3, 3), (3, 3)]
    assert len(server.seen) == 2


def test_empty_answer_is_repaired_once_and_reasoning_removed(write: Make) -> None:
    answers = iter(["<think>Hm.</think>", "<think>Hm.</think>\nSo sorry.", "", "<think>Endless"])
    one, server = write(ModelServer(lambda _prompt, _rng: next(answers)))
    assert one.go().by_outcome == {"answered": 1, "unparsed": 1}
    assert [words for words, *_ in one.texts] == ["So sorry."]
    assert one.problems == ["The answer to step 1 has no text."]
    assert len(server.seen) == 4


def test_a_failed_step_is_asked_again_with_the_answers_before_it(write: Make) -> None:
    troubles = {2: fail_with(400, "no"), 4: fail_with(400, "no")}
    one, server = write(ModelServer(lambda _prompt, _rng: "Yes.", troubles.get), f"{PROMPT}steps: [Again.]\n")
    assert one.go().by_outcome == {"failed": 2}
    assert one.texts == []
    assert one.go().by_outcome == {"answered": 2}
    assert len(server.seen) == 6, "the first steps are not asked again"
    assert server.seen[4]["messages"][-1]["content"] == "Again."


def test_refusals_and_cut_off_texts_are_reported_and_earlier_text_is_kept(
    write: Make,
) -> None:
    one, server = write(says("a b"), f"{PROMPT}length: {{words: 10}}\n")
    server.troubles = lambda number: setattr(server, "finish", "length" if number == 2 else "stop")
    one.go()
    assert one.texts[0][:2] == ("a b", 2)
    server.refusal = "No."
    with one.engine.begin() as db:
        begin_respond(db, one.study, one.endpoint, settings_of("name: other\n"), "second", file="prompt.yaml")
    other = Writer(one.engine, server, "name: other\n", "second")
    assert other.go().by_outcome == {"refused": 2}
    assert other.problems == ["No."]


def test_the_budget_ends_a_run_that_then_continues_without_asking_twice(write: Make) -> None:
    one, server = write(says("Yes."), max_tokens=50)
    one.go(Budget(Prices(), max_tokens=250))
    assert len(server.seen) == 1
    one.go(Budget(Prices(), max_tokens=250))
    assert len(server.seen) == 1, "what it has used before counts"
    assert one.go().by_outcome == {"answered": 2}
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        (
            "name: a\nuser: '{situation} {patient}'\n",
            'column user: found "{patient}"; allowed: a field that every item',
        ),
        ("name: a\nuser: '{words}'\n", "allowed: a prompt with a length"),
        ("name: a\nsystm: Hello\n", 'line 2, column systm: found "Hello"; allowed: one of the keys name, version'),
        ("name: a\nlength: {match: nobody}\n", 'length.match: found "nobody"; allowed: a source: person or model'),
        ("name: a\nlength: {words: 5, match: person}\n", "allowed: either words or match"),
        ("user: a\n", 'column name: found "nothing"'),
        ("- a\n", "no keys"),
        (
            "name: a\nuser: '{situation} {profile}'\nexamples: [{situation: x, response: y}]\n",
            'examples.1.fields: found "no profile"; allowed: every field of user',
        ),
    ],
)
def test_a_prompt_file_that_does_not_fit_is_refused_with_the_place(write: Make, prompt: str, words: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        write(says("x"), prompt)
    assert words in str(refused.value)


def test_an_item_without_a_response_to_match_is_named(engine: Engine) -> None:
    with engine.begin() as db:
        build_study(db, protocol_of(), texts=[{"key": "lonely", "responses": {}}])
        study = get_study(db, "study")
        assert study
        with pytest.raises(NothingToAnswerError, match="1 items have none, such as lonely"):
            estimate_respond(db, study, settings_of(f"{PROMPT}length: {{match: person}}\n"), "prompt.yaml")


def test_a_run_continues_with_the_same_prompt_only_and_two_prompts_are_compared(write: Make) -> None:
    one, server = write(says("I am sorry to hear that."))
    one.go()
    with pytest.raises(OtherSettingsError, match="prompt, prompt_file"):
        Writer(one.engine, server, "name: warm\nsystem: Be brief.\n")
    server.behave = lambda _prompt, _rng: "I am so sorry about that."
    other = Writer(one.engine, server, "name: warm\nsystem: Be brief.\n", "second")
    other.go()
    with one.engine.connect() as db:
        first, _ = compared_texts(db, one.run, other.run)
        assert [piece.text.strip() for piece in first.new if piece.is_changed] == ["so", "about"]
        assert len(compared_texts(db, one.run, other.run, first=1, n=5)) == 1
    prompts = compared_prompts(one.run, other.run)
    assert [piece.text.strip() for piece in prompts.old if piece.is_changed] == ["warm."]


def test_only_texts_that_a_person_accepted_or_edited_enter_a_draft_with_their_provenance(write: Make) -> None:
    one, _ = write(says("As an AI, I care."), seed=3)
    one.go()
    with one.engine.begin() as db:
        lead = Lead(
            db.execute(text("INSERT INTO leads (email) VALUES ('lead@example.org') RETURNING id")).scalar_one(),
            "lead@example.org",
        )
        with pytest.raises(UndecidedError, match="Accept or edit at least one text"):
            use_texts(db, one.study, lead, one.run, "gpt", 0)
        first, second = list_texts(db, one.run)
        decide_text(db, one.run, first, lead, "accepted")
        decide_text(db, one.run, second, lead, "edited", "I care.")
        with pytest.raises(UndecidedError, match="The edited text is empty"):
            decide_text(db, one.run, second, lead, "edited", " ")
        with pytest.raises(UndecidedError, match="already has a source model"):
            use_texts(db, one.study, lead, one.run, "model", 0)
        assert use_texts(db, one.study, lead, one.run, "gpt", 0) == 2
        with pytest.raises(UndecidedError, match="already a response in the study"):
            decide_text(db, one.run, first, lead, "rejected")
        folder = study_folder(db, one.study.id)
        assert count_texts(db, one.run).n_used == 2
    sources = folder.protocol.sources
    assert (sources["gpt"].kind, sources["gpt-edited"].kind) == ("model", "human+model")
    kept = sources["gpt"].attributes
    assert (kept["model"], kept["model_version"], kept["prompt"], kept["run"]) == (
        "test-model",
        "test-model-1",
        "warm",
        "run",
    )
    assert (kept["prompt_hash"], kept["model_seed"]) == (one.settings.prompt_hash, "3")
    added = folder.responses.set_index("response").loc[["item-0:gpt", "item-1:gpt-edited"]]
    assert added["text"].tolist() == ["As an AI, I care.", "I care."]
    assert added["generated_text"].tolist() == [None, "As an AI, I care."]
    assert added["generated_fingerprint"].tolist() == ["fp-1", "fp-1"]
    assert added["reviewed_by"].tolist() == ["lead@example.org"] * 2


def test_texts_do_not_enter_a_study_that_was_opened(write: Make) -> None:
    one, _ = write(says("I care."))
    one.go()
    with one.engine.begin() as db:
        db.execute(text("UPDATE studies SET status = 'open', opened_at = now()"))
        study = get_study(db, "study")
        assert study
        with pytest.raises(TextsFixedError, match="has been opened"):
            use_texts(db, study, Lead(1, "lead@example.org"), one.run, "gpt", 0)
