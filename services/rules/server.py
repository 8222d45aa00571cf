"""The rules service's processes.

``roundhouse serve rules`` starts one supervisor and several workers that listen on the same port
(SO_REUSEPORT: the kernel deals connections out among them). A worker that dies is replaced. SIGTERM to the
supervisor ends all of them after the requests in progress; workers end by themselves when their supervisor is
gone.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

from services.rules.config import RulesConfig
from services.rules.rulebook import Rulebook
from services.rules.worker import Worker

_log = logging.getLogger("roundhouse.rules")


def serve(config: RulesConfig) -> int:
    """Run until SIGTERM or SIGINT; the exit code."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s[%(process)d] %(message)s")
    with _reserve(config.listen) as reserved:
        address = f"{config.listen.rpartition(':')[0]}:{reserved.getsockname()[1]}"
        Rulebook().preload()
        gc.freeze()
        _log.info("listening on %s with %d processes", address, config.processes)
        return _Supervisor(config.processes, lambda: asyncio.run(_work(config, address))).run()


def _reserve(listen: str) -> socket.socket:
    """A socket that is bound but does not listen: it finds out early that an address cannot be had, and keeps
    a port that the system chose."""
    host, _, port = listen.rpartition(":")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    reserved = socket.socket(family, socket.SOCK_STREAM)
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    reserved.bind((host.strip("[]"), int(port)))
    return reserved


class _Supervisor:
    """Keeps a number of forked workers alive."""

    def __init__(self, processes: int, work: Callable[[], Any]) -> None:
        self._processes = processes
        self._work = work
        self._workers: dict[int, float] = {}
        self._stopping = False

    def run(self) -> int:
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)
        for _ in range(self._processes):
            self._fork()
        while self._workers:
            try:
                pid, status = os.wait()
            except InterruptedError:
                continue
            except ChildProcessError:
                break
            started = self._workers.pop(pid, None)
            if started is None or self._stopping:
                continue
            _log.error("worker %d ended (%s), starting another", pid, os.waitstatus_to_exitcode(status))
            if time.monotonic() - started < 1:
                time.sleep(0.5)
            if not self._stopping:
                self._fork()
        return 0

    def _fork(self) -> None:
        pid = os.fork()
        if pid:
            self._workers[pid] = time.monotonic()
            return
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        code = 1
        try:
            self._work()
            code = 0
        except Exception:
            _log.exception("worker failed")
        finally:
            logging.shutdown()
            sys.stdout.flush()
            os._exit(code)

    def _stop(self, *_: object) -> None:
        self._stopping = True
        for pid in self._workers:
            os.kill(pid, signal.SIGTERM)


async def _work(config: RulesConfig, address: str) -> None:
    """One worker: serve until SIGTERM or until the supervisor is gone."""
    parent = os.getppid()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    worker = Worker(config, address)
    await worker.start()
    while not stop.is_set():
        try:
            await asyncio.wait_for(stop.wait(), 1.0)
        except TimeoutError:
            if os.getppid() != parent:
                break
            await worker.check()
    await worker.stop()
