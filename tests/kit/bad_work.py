"""Work that a process must be able to bear. It knows no other module, because each new process imports it first."""

import os
import time
from contextlib import suppress
from typing import NoReturn


def work_for_ever(*_: object) -> NoReturn:
    """Take processor time, and treat every exception as a reader of broken files does."""
    while True:
        with suppress(Exception):
            sum(range(1000))


def sleep_for_ever(*_: object) -> NoReturn:
    while True:
        time.sleep(1)


def take_memory(*_: object) -> NoReturn:
    taken = []
    while True:
        taken.append(bytearray(10_000_000))


def die(*_: object) -> NoReturn:
    os._exit(9)


def do_nothing(*_: object) -> None:
    """What a new process can do at once: real work loads libraries for seconds."""
