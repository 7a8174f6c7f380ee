"""Read the logs of a training release on all cores; results are those of one process, in the same order.

Every further core gets a process of this module, ``python -m ingest.mlperf.training_pool <release> <memory>``. It takes
lists of files on its standard input, their content in memory that both processes share, and answers on its standard
output. It is started as a new program and not forked, and so runs under any parent: a thread of Dagster, a test, a
script without a main guard.
"""

from __future__ import annotations

import os
import pickle
import select
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from mmap import mmap
from types import TracebackType
from typing import Any, BinaryIO, cast

from ingest.mlperf.training_files import FileRead, FileReader, TrainingFile

_FIRST_BYTES = 256 << 20
"""Smaller trees are read by one process, in little more than a second; a second one costs a tenth of that."""

_BATCH_BYTES = 4 << 20
_MAX_PROCESSES = 4  # this one unpacks the archive; more would wait for it
_Batch = list[tuple[int, TrainingFile]]


class _SharedMemory:
    """Memory of two processes: to send the logs through a pipe instead takes a tenth as long as to read them.

    Args:
        descriptor: of the memory, in this process; it stays open.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._memory: mmap | bytearray = bytearray()

    def write(self, contents: list[bytes]) -> None:
        """Put these one behind the other, in place of what was there."""
        parts = _parts([*map(len, contents)])
        if parts[-1].stop > len(self._memory):
            os.ftruncate(self._descriptor, parts[-1].stop)
            self._memory = mmap(self._descriptor, 0)
        for part, content in zip(parts, contents, strict=True):
            self._memory[part] = content

    def read(self, sizes: list[int]) -> Iterator[bytes]:
        """Return copies of what was written, given the sizes."""
        parts = _parts(sizes)
        if parts[-1].stop > len(self._memory):
            self._memory = mmap(self._descriptor, 0)
        return (bytes(self._memory[part]) for part in parts)


def _parts(sizes: list[int]) -> list[slice]:
    ends = [*accumulate(sizes)]
    return [*map(slice, [0, *ends], ends)]


class _Worker:
    """A process that reads logs. Its first answer, to no files, says that it is ready.

    Args:
        release: the round.

    Attributes:
        batch: the files it is to answer for; None when it has nothing to do.

    Raises:
        OSError: the process cannot be started.
    """

    def __init__(self, release: str) -> None:
        self.batch: _Batch | None = []
        self._descriptor = os.memfd_create("training_logs")
        self._memory = _SharedMemory(self._descriptor)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "ingest.mlperf.training_pool", release, str(self._descriptor)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=[self._descriptor],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        except OSError:
            os.close(self._descriptor)
            raise
        self._input, self._output = cast(Any, self._process.stdin), cast(Any, self._process.stdout)

    def is_done(self) -> bool:
        """Whether an answer, or the end of the process, can be read without waiting."""
        return bool(select.select([self._output], [], [], 0)[0])

    def start(self, batch: _Batch) -> None:
        """Hand over files; the answer to the last ones has been taken.

        Raises:
            OSError: the process has ended.
        """
        self.batch = batch
        contents = [cast(bytes, file.content) for _, file in batch]
        self._memory.write(contents)
        files = [file._replace(content=b"") for _, file in batch]
        _write(self._input, (files, [*map(len, contents)]))

    def answer(self) -> list[FileRead]:
        """Wait for the answer and return it.

        Raises:
            EOFError: the process has ended.
            pickle.UnpicklingError: it ended while it answered.
        """
        return cast(list[FileRead], pickle.load(self._output))  # noqa: S301  # of our own process

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        for stream in (self._input, self._output):
            with suppress(OSError):
                stream.close()
        self._process.wait()
        os.close(self._descriptor)


class ReadingPool:
    """Reads files in this process and, when they are many, in others beside it.

    Args:
        reader: of the round.
        processes: at most, this one included; default one a core.
    """

    def __init__(self, reader: FileReader, processes: int | None = None) -> None:
        self._reader = reader
        self._processes = min(processes or _cores(), _MAX_PROCESSES)
        self._workers: list[_Worker] = []
        self._has_started = False
        self._waiting: deque[tuple[int, TrainingFile]] = deque()
        self._waiting_bytes = self._bytes = self._files = 0
        self._results: dict[int, FileRead] = {}

    def __enter__(self) -> ReadingPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.end()

    def expect(self, size: int) -> None:
        """Start the other processes when so many bytes are worth it."""
        if self._processes > 1 and size > _FIRST_BYTES and not self._has_started:
            self._has_started = True
            for _ in range(self._processes - 1):
                with suppress(OSError):  # no process or no memory to be had: this one reads more
                    self._workers.append(_Worker(self._reader.release))

    def add(self, file: TrainingFile) -> int:
        """Read a file, now or later; return its number."""
        number = self._files
        self._files += 1
        if self._processes < 2 or not isinstance(file.content, bytes):
            self._results[number] = self._reader.read(file)
            return number
        self._waiting.append((number, file))
        self._waiting_bytes += len(file.content)
        self._bytes += len(file.content)
        self.expect(self._bytes)
        if self._waiting_bytes >= _BATCH_BYTES:
            self._hand_over()
        while self._waiting_bytes >= _BATCH_BYTES:
            self._read_one()
            self._hand_over()
        return number

    def results(self) -> list[FileRead]:
        """Return what the files hold, by number."""
        while self._waiting:
            self._read_one()
        for worker in [*self._workers]:
            if worker.batch:
                self._collect(worker)
        return [self._results[number] for number in range(self._files)]

    def _read_one(self) -> None:
        number, file = self._waiting.popleft()
        self._waiting_bytes -= len(cast(bytes, file.content))
        self._results[number] = self._reader.read(file)

    def _hand_over(self) -> None:
        """Give all that waits to a process that has nothing to do."""
        if not self._waiting:
            return
        for worker in [*self._workers]:
            if worker.batch is not None and worker.is_done():
                self._collect(worker)
            if worker in self._workers and worker.batch is None:
                batch = [*self._waiting]
                self._waiting.clear()
                self._waiting_bytes = 0
                try:
                    worker.start(batch)
                except OSError:
                    self._collect(worker)
                return

    def _collect(self, worker: _Worker) -> None:
        """Take a process's answer; when it has ended (memory, a signal), read its files here."""
        batch, worker.batch = worker.batch or [], None
        try:
            answer = worker.answer()
        except (EOFError, OSError, pickle.UnpicklingError):
            self._workers.remove(worker)
            worker.end()
            answer = [self._reader.read(file) for _, file in batch]
        for (number, _), result in zip(batch, answer, strict=True):
            self._results[number] = result


def _cores() -> int:
    """Return how many cores this process may use; 1 where memory cannot be shared like this."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "memfd_create") else 1


def _write(stream: BinaryIO, content: Any) -> None:
    pickle.dump(content, stream, protocol=pickle.HIGHEST_PROTOCOL)
    stream.flush()


def main() -> None:
    """Answer lists of files with lists of what they hold, until the standard input ends."""
    reader, memory = FileReader(sys.argv[1]), _SharedMemory(int(sys.argv[2]))
    _write(sys.stdout.buffer, [])
    with suppress(EOFError):
        while True:
            files, sizes = pickle.load(sys.stdin.buffer)  # noqa: S301  # of our own process
            contents = zip(files, memory.read(sizes), strict=True)
            _write(sys.stdout.buffer, [reader.read(file._replace(content=c)) for file, c in contents])


if __name__ == "__main__":
    main()
