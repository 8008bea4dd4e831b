"""What the forms offer from a study's stored texts and raters: their columns, items and responses."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, text

from app.protocol.cells import cell_of
from app.studies.editor.controls import Option
from app.studies.protocols import get_protocol, rated_conditions, used_sources
from app.studies.studies import StudyRow


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a study's files besides those that every study has.

    `numbers` are those that hold numbers; `values` are the values of a column with few of them.
    """

    responses: tuple[str, ...] = ()
    raters: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)


NO_COLUMNS = Columns()


@dataclass(frozen=True, slots=True)
class Stored:
    """What is stored: columns, items in words, and the sources of an item's responses by their IDs.

    `used`: the sources that have responses. `fixed`: by the path of a mapping in study.yaml, the keys that stored texts
    or raters name, or that raters have met in an opened study. They stay as they are when an entry gets another name.
    """

    columns: Columns = NO_COLUMNS
    items: Sequence[Option] = ()
    responses: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    used: frozenset[str] = frozenset()
    fixed: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)


# Values of a column with more than this are not offered as choices.
_MAX_VALUES = 20
_COLUMNS = text("""
    SELECT file, name, bool_and(value ~ '^\\s*[-+]?[0-9]+([.][0-9]+)?\\s*$') AS is_number,
           (array_agg(DISTINCT value))[1\\:21] AS some_values FROM (
        SELECT 'items' AS file, attributes FROM items WHERE study_id = :study
        UNION ALL SELECT 'responses', attributes FROM responses WHERE study_id = :study
        UNION ALL SELECT 'raters', attributes FROM raters WHERE study_id = :study
    ) stored, jsonb_each_text(stored.attributes) AS one (name, value)
    WHERE value IS NOT NULL AND value <> '' GROUP BY file, name ORDER BY file, name
""")


def columns_of(db: Connection, study_id: int) -> Columns:
    """The columns that the stored texts and raters have."""
    rows = db.execute(_COLUMNS, {"study": study_id}).all()
    by_file = {file: tuple(row.name for row in rows if row.file == file) for file in ("responses", "raters", "items")}
    values = {row.name: tuple(row.some_values) for row in rows if len(row.some_values) <= _MAX_VALUES}
    return Columns(**by_file, numbers=tuple(dict.fromkeys(row.name for row in rows if row.is_number)), values=values)


# Items are chosen by their first words; with more items than this, their ID is typed.
MAX_ITEMS = 500
_LISTED = text("""
    SELECT key, left(coalesce(text, turns -> 0 ->> 'text', ''), 80) AS words FROM items
    WHERE study_id = :study ORDER BY position LIMIT :most
""")


def item_options(db: Connection, study_id: int) -> list[Option]:
    """The items of a study; none if there are too many to choose from."""
    rows = db.execute(_LISTED, {"study": study_id, "most": MAX_ITEMS + 1}).all()
    if len(rows) > MAX_ITEMS:
        return []
    return [Option(row.key, f"{row.key}: {' '.join(row.words.split())}") for row in rows]


_RESPONSES = text("""
    SELECT i.key AS item, r.key AS response, s.key AS source
    FROM responses r JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE r.study_id = :study ORDER BY i.position, s.position, r.position
""")


def responses_by_item(db: Connection, study_id: int) -> dict[str, dict[str, str]]:
    """The source of each response by its ID, by the key of the item."""
    found: dict[str, dict[str, str]] = {}
    for row in db.execute(_RESPONSES, {"study": study_id}):
        found.setdefault(row.item, {})[row.response] = row.source
    return found


_POOLS = text("""
    SELECT pool FROM raters WHERE study_id = :study AND pool IS NOT NULL
    UNION SELECT attributes ->> 'pool' FROM items WHERE study_id = :study AND attributes ->> 'pool' IS NOT NULL
""")


def used_pools(db: Connection, study_id: int) -> frozenset[str]:
    """The pools that raters or items belong to."""
    return frozenset(db.execute(_POOLS, {"study": study_id}).scalars())


def used_conditions(db: Connection, study_id: int) -> frozenset[str]:
    """The factors that ratings name."""
    return frozenset(factor for one in rated_conditions(db, study_id) for factor, _ in cell_of(one).levels)


# What stored data name, by the path of the mapping in study.yaml.
_USED = {"design.pools": used_pools, "conditions": used_conditions}
# What the pages offer: columns, items with their responses, and the pools that are in use.
_PAGES: dict[str, frozenset[str]] = {
    "analysis": frozenset({"columns"}),
    "assignment": frozenset({"columns", "items", "pools"}),
    "checks": frozenset({"items"}),
    "conditions": frozenset({"conditions"}),
    "sources": frozenset({"columns", "sources"}),
    "practice": frozenset({"items"}),
}


def stored_for(db: Connection, study: StudyRow, page: str) -> Stored:
    """What a page of the design offers from what is stored, by its key."""
    needs = _PAGES.get(page, frozenset[str]())
    items = item_options(db, study.id) if "items" in needs else []
    sources = frozenset(used_sources(db, study.id)) if "sources" in needs else frozenset[str]()
    fixed = {path: used(db, study.id) for path, used in _USED.items() if path.rpartition(".")[2] in needs}
    return Stored(
        columns_of(db, study.id) if "columns" in needs else NO_COLUMNS,
        items,
        responses_by_item(db, study.id) if items else {},
        sources,
        _with_published(db, study, fixed | {"sources": sources}),
    )


def _with_published(db: Connection, study: StudyRow, fixed: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """The keys that stay, with those of the version that raters get once the study has been opened."""
    if study.opened_at is None:
        return dict(fixed)
    now = get_protocol(db, study.id, study.protocol_version)
    published: dict[str, Iterable[str]] = {
        "sources": now.sources,
        "design.pools": now.design.pools,
        "conditions": now.conditions,
        "analysis.composites": now.analysis.composites,
    }
    return {path: fixed.get(path, frozenset[str]()) | {*keys} for path, keys in published.items()}
