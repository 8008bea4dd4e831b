"""Compare two prompts: their files and the texts that each produced for the same items, word by word."""

from dataclasses import dataclass

from sqlalchemy import Connection

from app.base.word_difference import Piece, n_changed, word_difference
from app.llm.runs.runs import RunRow
from app.llm.writers.respond_settings import RespondSettings
from app.llm.writers.texts import list_texts


@dataclass(frozen=True, slots=True)
class Compared:
    """Two versions of one text, with the words that differ. `name`: the item."""

    name: str
    old: tuple[Piece, ...]
    new: tuple[Piece, ...]

    @property
    def n_changed(self) -> int:
        """The number of words that only one of the two has."""
        return n_changed(self.old) + n_changed(self.new)


def compared_prompts(old: RunRow, new: RunRow) -> Compared:
    """The prompt files of two runs."""
    files = [RespondSettings.of(run.settings).prompt_file for run in (old, new)]
    return Compared("Prompt", *word_difference(*files))


def compared_texts(db: Connection, old: RunRow, new: RunRow, *, first: int = 0, n: int | None = None) -> list[Compared]:
    """The texts of the items that both runs have answered, in the order of the items."""
    earlier = {row.item_id: row for row in list_texts(db, old)}
    both = [(earlier[row.item_id], row) for row in list_texts(db, new) if row.item_id in earlier]
    shown = both[first : None if n is None else first + n]
    return [Compared(one.item, *word_difference(one.text, other.text)) for one, other in shown]
