"""Line numbers of the keys of a study.yaml."""

from __future__ import annotations

from app.exchange.problems import Problems
from app.exchange.protocol.yaml_tree import dotted, read_yaml


def lines_of(yaml: str) -> dict[str, int]:
    r"""Return the line number of every key path; lines and list positions count from 1.

    >>> lines_of("slug: s\ndesign:\n  repeats: {n: 2}\n")["design.repeats"]
    3
    """
    tree = read_yaml("study.yaml", yaml, Problems())
    return {name: line for path, line in tree.lines.items() if (name := dotted(path))} if tree else {}
