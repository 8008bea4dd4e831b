"""A protocol with any value of the wrong kind: problems in our words, never in those of the validation library."""

import re
from collections.abc import Iterator

from ruamel.yaml import YAML

from app.base.files.yaml_tree import Path, Tree
from app.base.problems import Problems
from app.protocol.yaml.study_yaml import FILE, protocol_of
from app.studies.folder.study_templates import FOLDER

TEMPLATES = ("label-experiment", "character-knowledge", "conjoint", "rater-scales")
WRONG: tuple[object, ...] = ("some words", "-3", "", [], ["a"], {"a": {"b": "c"}}, None)
LEAKED = re.compile(
    r"instance of|dictionary|input should|validation|value error|assertion|valid (string|integer|number|boolean|list)"
    r"|unable to|NoneType|object|tuple|items? after|Extra inputs|another kind",
    re.IGNORECASE,
)


def paths(value: object, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield from paths(below, (*path, key))
    elif isinstance(value, list):
        for number, below in enumerate(value):
            yield from paths(below, (*path, number))
    if path:
        yield path


def replaced(value: object, path: Path, new: object) -> object:
    if not path:
        return new
    if isinstance(value, dict):
        return {key: replaced(below, path[1:], new) if key == path[0] else below for key, below in value.items()}
    there = value if isinstance(value, list) else []
    return [replaced(below, path[1:], new) if number == path[0] else below for number, below in enumerate(there)]


def test_wrong_kind_of_value_is_explained_in_our_words() -> None:
    seen, n_refused, leaked = set(), 0, set()
    for template in TEMPLATES:
        data = YAML(typ="safe").load((FOLDER / template / FILE).read_text(encoding="utf-8"))
        for path in paths(data):
            # One entry of a list stands for the others.
            field = tuple("" if isinstance(part, int) else part for part in path)
            for wrong in WRONG if field not in seen else ():
                problems, changed = Problems(), replaced(data, path, wrong)
                protocol_of(Tree(changed, dict.fromkeys([(), *paths(changed)], 1)), problems)
                found = problems.list_of(FILE)
                n_refused += bool(found)
                leaked |= {one.allowed for one in found if LEAKED.search(one.allowed)}
            seen.add(field)
    assert not leaked
    assert n_refused > len(seen)
