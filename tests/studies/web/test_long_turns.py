import asyncio

import pytest

from app.base.web import deps
from app.base.web.deps import LongTurns
from app.base.web.errors import BusyError


def test_one_session_leaves_a_turn_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deps, "WAIT_S", 0.01)

    async def ask() -> list[str]:
        turns, found = LongTurns(3), []
        async with turns.turn("a"), turns.turn("a"):
            with pytest.raises(BusyError):
                await turns.turn("a").__aenter__()
            async with turns.turn("b"):
                found.append("b")
        async with turns.turn("a"):
            found.append("a")
        return found

    assert asyncio.run(ask()) == ["b", "a"]
