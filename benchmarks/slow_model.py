"""A false model that streams the same reply in pieces over some seconds, in this process or in one that can be killed.

It answers each request, also one that it has answered before, and writes down what it was asked and has answered: what
a provider would bill.

python -m benchmarks.slow_model PORT SECONDS LEDGER
"""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from benchmarks.serving import free_port, wait_for

WORDS = "That sounds like a lot to carry, and I am glad that you tell me about it. What was the hardest part of it?"
TOKENS_IN, TOKENS_OUT = 90, 25
N_PIECES = 25


@dataclass
class SlowModel:
    """`asked` and `answered` count requests by their ID; `ledger` has a line for each."""

    seconds: float
    asked: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    ledger: TextIO | None = None

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                headers = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:] if ": " in line)
                body = json.loads(await reader.readexactly(int(headers["content-length"])))
                key = headers["idempotency-key"]
                self._note("asked", self.asked, key)
                await (self._stream if body.get("stream") else self._whole)(writer)
                self._note("answered", self.answered, key)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, RuntimeError):
            pass  # the process that asked was killed, which uvloop says in its own way
        finally:
            writer.close()

    def _note(self, what: str, counts: Counter[str], key: str) -> None:
        counts[key] += 1
        if self.ledger:
            self.ledger.write(f"{what} {key}\n")
            self.ledger.flush()

    async def _stream(self, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        begun = time.perf_counter()
        for number, piece in enumerate(_pieces(), 1):
            await asyncio.sleep(max(0.0, begun + self.seconds * number / (N_PIECES + 1) - time.perf_counter()))
            _chunk(writer, {"choices": [{"delta": {"content": piece}}]})
        await asyncio.sleep(max(0.0, begun + self.seconds - time.perf_counter()))
        _chunk(writer, {"choices": [{"delta": {}, "finish_reason": "stop"}]})
        _chunk(writer, {"choices": [], "usage": _USAGE})
        writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")

    async def _whole(self, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(self.seconds)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": WORDS}}
        content = json.dumps({"id": "c", "model": "m", "choices": [choice], "usage": _USAGE}).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        writer.write(head.encode() + content)


_USAGE = {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT, "total_tokens": TOKENS_IN + TOKENS_OUT}


def _pieces() -> list[str]:
    words = WORDS.split(" ")
    return [f"{word} " for word in words] + [""] * (N_PIECES - len(words))


def _chunk(writer: asyncio.StreamWriter, event: dict[str, object]) -> None:
    if writer.is_closing():
        raise ConnectionError("the process that asked was killed")
    content = f"data: {json.dumps(event)}\n\n".encode()
    writer.write(b"%x\r\n%s\r\n" % (len(content), content))


@contextmanager
def servers_file(port: int, place: Path) -> Iterator[Path]:
    """The installation's file of servers, which names the model at this port."""
    path = place / "servers.toml"
    path.write_text(
        f'[[server]]\nname = "Local"\nbase_url = "http://127.0.0.1:{port}/v1"\nmodels = ["m"]\n'
        "max_tokens = 1_000_000_000\nat_once = 1000\n"
    )
    yield path


class ModelProcess:
    """The model in a process of its own, on a port that it keeps."""

    def __init__(self, seconds: float, place: Path) -> None:
        """Start it; `place` is a folder for what it writes down."""
        self.port, self._seconds, self._ledger = free_port(), seconds, place / "model.txt"
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "benchmarks.slow_model", str(self.port), str(self._seconds), str(self._ledger)]
        process = subprocess.Popen(command)
        wait_for(self.port)
        return process

    def kill(self, away_s: float) -> None:
        """Kill it in the middle of its answers, and start it again after some seconds."""
        self.stop()
        time.sleep(away_s)
        self._process = self._start()

    def stop(self) -> None:
        """Kill it."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def counts(self) -> tuple[Counter[str], Counter[str]]:
        """How often it was asked, and has answered, by the ID of the request."""
        lines = [line.split() for line in self._ledger.read_text().splitlines()] if self._ledger.exists() else []
        asked, answered = (Counter(key for what, key in lines if what == one) for one in ("asked", "answered"))
        return asked, answered


async def _serve(port: int, seconds: float, path: Path) -> None:
    with path.open("a") as ledger:
        listening = await asyncio.start_server(SlowModel(seconds, ledger=ledger).answer, "127.0.0.1", port)
        await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3])))
