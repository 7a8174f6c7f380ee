"""A local server below HTTP: its answers are written byte by byte."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


@contextmanager
def raw_server(handle: Callable[[socket.socket], None]) -> Iterator[int]:
    """Hand every connection to `handle` in a thread of its own, and yield the port. A client that leaves is no error.

    The thread that accepts has ended when the server has. A thread left in `accept` would go on waiting on the number
    of a closed file, and so take connections of whatever server of another test gets that number next.
    """
    listener = socket.create_server(("127.0.0.1", 0))

    def run(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            handle(connection)

    def accept() -> None:
        with suppress(OSError):  # the listener is shut down
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=run, args=[connection], daemon=True).start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)  # closing alone does not wake the thread
        accepting.join()
        listener.close()
