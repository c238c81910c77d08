"""Work on several threads whose findings come to the caller's own."""

import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

_T = TypeVar("_T")


def gathered(work: Callable[[int], Iterator[_T]], workers: int) -> Generator[_T, None, None]:
    """What so many workers find, as it comes; each has a thread, a single one the caller's.

    Close it (``contextlib.closing``) where it may be left early: nobody then waits for more than
    what every worker is at.
    """
    if workers == 1:
        yield from work(0)
        return
    stopped = threading.Event()
    #: A list of nothing: a worker has ended.
    found = SimpleQueue[list[_T]]()

    def run(number: int) -> None:
        try:
            for item in work(number):
                found.put([item])
                if stopped.is_set():
                    break
        except BaseException:
            stopped.set()
            raise
        finally:
            found.put([])

    with ThreadPoolExecutor(workers) as pool:
        try:
            running = [pool.submit(run, number) for number in range(workers)]
            left = workers
            while left > 0:
                items = found.get()
                left -= not items
                yield from items
            for worker in running:
                worker.result()
        finally:
            stopped.set()
