"""A small complete study folder as a dictionary of files, in which tests can break single cells."""

import pytest

from app.analysis.data.study_folder import StudyFolder
from app.base.problem import InvalidInputError, Problem
from app.studies.folder.read import read_files

YAML = """\
attune: 1
slug: small
title: A small study
sources:
  person: {kind: human}
  model-1: {kind: model}
questions:
  - {key: preference, target: pair, type: choice, text: Which one?, tie: true, strength: true}
  - {key: warmth, target: response, type: rating, text: Warm?, scale: {1: cold, 2: mild, 3: warm}, cannot_judge: true}
  - {key: fit, target: response, type: slider, text: Fit?, min: 0, max: 1, step: 0.1}
  - {key: does, target: response, type: category, text: What does it do?, options: [asks, validates], multiple: true}
  - {key: emotion, target: item, type: category, text: Which emotion?, options: [sad, glad], correct_column: feels}
  - {key: why, target: pair, type: text, text: Why?}
  - {key: each, target: turn, type: rating, text: How now?, scale: {-1: bad, 0: so, 1: good}}
  - {key: age, target: rater, type: slider, text: Your age?, min: 18, max: 120}
"""
ITEMS = """\
item,text,turns,profile,feels
a,I lost my keys.,,,sad
b,,"[{""speaker"": ""A"", ""text"": ""Hi""}, {""speaker"": ""B"", ""text"": ""Hello""}]",A neighbour,glad
"""
RESPONSES = """\
item,source,text,response
a,person,Oh no!,
a,model-1,I am sorry.,
b,person,Good.,b1
b,person,Better.,b2
b,model-1,Best.,b3
"""
RATERS = """\
rater,kind,pool,age_group
r1,person,crowd,old
r2,model,,
"""
RATINGS = """\
rater,item,response,question,value,strength,turn,left_response,right_response,side,repeat,rated_at,active_ms
r1,a,,preference,person,2,,a:model-1,a:person,right,,2026-11-21T10:00:00+01:00,1200
r1,a,a:person,warmth,3,,,,,,,2026-11-21 09:00:01,
r1,a,a:model-1,warmth,cannot_judge,,,,,,,,
r1,b,b1,fit,0.3,,,,,,,,
r1,b,b3,does,validates|asks,,,,,,,,
r1,b,,emotion,glad,,,,,,,,
r1,b,,preference,b2,,,b1,b2,right,,,
r2,a,,why,"because, well",,,,,,,,
r2,b,,each,-1,,2,,,,,,
r2,,,age,40,,,,,,,,
r2,a,,preference,tie,,,,,,,,
"""


def small(**changed: str | bytes | None) -> dict[str, bytes]:
    """Return the files; `items="..."` replaces items.csv, None leaves it out; `study` is study.yaml."""
    texts: dict[str, str | bytes | None] = {
        "study": YAML,
        "items": ITEMS,
        "responses": RESPONSES,
        "raters": RATERS,
        "ratings": RATINGS,
    }
    texts |= changed
    return {
        "study.yaml" if name == "study" else f"{name}.csv": text if isinstance(text, bytes) else text.encode()
        for name, text in texts.items()
        if text is not None
    }


def read_small(**changed: str | bytes | None) -> StudyFolder:
    """Read the small study with these changes."""
    return read_files(small(**changed))


def problems_in(files: dict[str, bytes]) -> list[Problem]:
    """Return the problems (not the notes) of these files."""
    with pytest.raises(InvalidInputError) as raised:
        read_files(files)
    return [problem for problem in raised.value.problems if problem.severity == "error"]


def only_problem(**changed: str | bytes | None) -> Problem:
    """Return the only problem of the small study with these changes."""
    problems = problems_in(small(**changed))
    assert len(problems) == 1, [problem.sentence() for problem in problems]
    return problems[0]


def rated(row: str) -> str:
    """Return ratings.csv with one additional row, which is row 13."""
    return f"{RATINGS}{row}\n"
