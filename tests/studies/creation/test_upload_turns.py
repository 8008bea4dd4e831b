"""Uploads are read in the order in which they came, and those who stop waiting block nobody."""

from threading import Thread
from time import sleep

from app.studies.creation.upload_process import FairLock


def test_waiting_threads_are_served_in_their_order() -> None:
    lock, served = FairLock(), []
    assert lock.acquire()

    def take(number: int) -> None:
        lock.acquire()
        served.append(number)
        lock.release()

    waiting = [Thread(target=take, args=(number,)) for number in range(5)]
    for thread in waiting:
        n_waiting = len(lock._waiting)
        thread.start()
        while len(lock._waiting) == n_waiting:
            sleep(0.001)
    lock.release()
    for thread in waiting:
        thread.join()
    assert served == [0, 1, 2, 3, 4]
    assert lock.acquire(0)


def test_a_lock_that_is_not_free_in_time_is_not_kept_for_those_who_left() -> None:
    lock = FairLock()
    assert lock.acquire()
    assert not lock.acquire(0.01)
    lock.release()
    assert lock.acquire(0)
