"""Every block of the README, the tutorial and the how-tos is run, or read, as it is printed."""

import json
import re
import shlex
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from ruamel.yaml import YAML

from app.base.help.library import Library
from app.base.problems import Problems
from app.llm.client.servers import read_servers
from app.llm.writers.prompt import read_prompt
from app.protocol.yaml.study_yaml import read_protocol
from app.rating.recruitment.invited_people import invited_people
from app.settings import folder, settings
from tests.cli.test_readme import fill_in
from tests.kit.command_line import Attune, attune
from tests.kit.models_server import KEY, ModelServer, Prompt, first_offer, serving
from tests.kit.protocols import MOOD, WARM, protocol

__all__ = ["attune"]

DOCS = folder("docs")
# The first words of blocks that other tests run word for word.
RUN_BY = {
    "make run": "tests/house/test_image.py",
    "attune analyze demo": "tests/cli/test_readme.py",
    "attune lead add": "tests/cli/test_readme.py",
    "attune items import ./ayers": "tests/cli/test_published_file.py",
    "import attune_studies": "tests/attune_studies/test_python_interface.py",
}
# The study of which the page on waves shows two parts.
OF_WAVES = {
    "questions": [WARM, {**MOOD, "key": "support"}, {**MOOD, "key": "lonely"}],
    "conditions": {"arm": {"kind": "layout", "levels": ["single", "side_by_side"]}},
}
# What is not ours to run.
OTHERS = ("pip install", "aws mturk", "@software")


@cache
def blocks() -> dict[str, tuple[str, str]]:
    """The language and the text of each block, by page and number."""
    library = Library(DOCS, str)
    names = [one.name for group in library.groups if group.title in {"Tutorial", "How-to"} for one in group.entries]
    texts = {"README": (DOCS.parent / "README.md").read_text("utf-8")} | {name: library.source(name) for name in names}
    return {
        f"{name}-{number}": (language, text)
        for name, source in texts.items()
        for number, (language, text) in enumerate(
            re.findall(r"^```(\w*)\n(.*?)^```", source, re.MULTILINE | re.DOTALL), start=1
        )
    }


def commands_of(text: str) -> list[list[str]]:
    lines = text.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def test_pages_have_blocks() -> None:
    assert len(blocks()) > 10
    assert {name.rpartition("-")[0] for name in blocks()} >= {"README", "planning", "models", "ratings-import"}


@pytest.mark.parametrize("name", blocks())
def test_each_block_is_run_or_read(name: str, tmp_path: Path) -> None:
    """Commands are run below, all in one database; what is to be saved as a file is read here."""
    language, text = blocks()[name]
    if text.startswith(tuple(RUN_BY)):
        (by,) = (path for words, path in RUN_BY.items() if text.startswith(words))
        assert (DOCS.parent / by).exists()
    elif language == "yaml" and "slug:" in text:
        problems = Problems()
        assert read_protocol(text, problems), problems._problems
    elif language == "yaml" and name.startswith("waves"):
        page = "".join(text for of, (language, text) in blocks().items() if of.startswith("waves") and language)
        assert protocol(**OF_WAVES, **YAML(typ="safe").load(page)).waves
    elif language == "yaml":
        prompt, _ = read_prompt(text.encode(), "warm.yaml")
        assert prompt.name == "warm"
    elif language == "toml":
        (tmp_path / "key").write_text("secret", encoding="utf-8")
        file = tmp_path / "servers.toml"
        file.write_text(text.replace("/run/secrets/model_key", str(tmp_path / "key")), encoding="utf-8")
        assert [server.name for server in read_servers(file)] == ["Institute"]
    elif language == "xml":
        assert ET.fromstring(text.strip())[0].tag.endswith("ExternalURL")  # noqa: S314 - our own page
    elif text.startswith("rater,"):
        assert len(invited_people(text).rows) == 2
    elif text.startswith("{"):
        assert all(json.loads(line.partition("#")[0]) for line in text.splitlines())
    elif not text.startswith(OTHERS):
        assert all(words[0] in {"attune", "export", *(one.split()[0] for one in OTHERS)} for words in commands_of(text))


def answer(prompt: Prompt, rng: Random) -> dict[str, Any] | str:
    """An answer to the questions of a judge, or a response to a situation."""
    return first_offer(prompt, rng) if "response_format" in prompt.body else "That sounds hard. I am here."


def test_commands_of_how_tos_succeed(attune: Attune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here, kept = tmp_path / "my-study", tmp_path / "kept"
    assert attune("study", "new", "ayers-pair", "--slug", "my-study", "--out", "my-study").code == 0
    fill_in(here / "study.yaml")
    assert attune("lead", "add", "you@example.org", "--link").code == 0
    assert attune("study", "load", "./my-study").code == 0
    # A folder with the name of a stored study is there only for the commands about it.
    here.rename(kept)
    prompts = [text for language, text in blocks().values() if language == "yaml" and "warm" in text]
    (tmp_path / "warm.yaml").write_text(prompts[0], encoding="utf-8")
    (tmp_path / "key").write_text(KEY, encoding="utf-8")
    n_run = 0
    with serving(ModelServer(answer)) as server:
        values = {"ATTUNE_MODEL_ENDPOINT": server.address, "ATTUNE_MODEL_KEY_FILE": str(tmp_path / "key")}
        for name, (language, text) in blocks().items():
            if language or text.startswith((*RUN_BY, "{", "rater,", "@")):
                continue
            for program, *arguments in commands_of(text):
                if program == "export":
                    variable, _, value = arguments[0].partition("=")
                    monkeypatch.setenv(variable, values.get(variable, value))
                    settings.cache_clear()
                elif program == "attune":
                    is_of_folder = "./my-study" in arguments
                    if is_of_folder:
                        kept.rename(here)
                    # A plan of 200 studies per size takes a minute.
                    said = attune(*arguments, *(("--simulations", "2") if arguments[0] == "plan" else ()))
                    if is_of_folder:
                        here.rename(kept)
                    assert said.code == 0, (name, arguments, said.err)
                    n_run += 1
    assert n_run >= 8
    assert len(server.seen) > 10
