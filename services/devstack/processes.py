"""Child processes: started in a group of their own, stopped politely, not outliving their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

LAUNCHER = str(Path(__file__).with_name("launch.py"))


class Child:
    """A process of the stack; everything it prints goes to ``log`` (None: to where ours goes).

    It has its own process group, so that a Ctrl-C in the terminal reaches only the supervisor, which stops
    the children in order. On Linux the child gets SIGTERM when the thread that started it ends.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        log: Path | None = None,
    ) -> None:
        self.name = name
        self.log = log
        self._command = list(command)
        self._env = {**os.environ, **(env or {})}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start (again)."""
        output: IO[bytes] | None = self.log.open("ab") if self.log else None
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", LAUNCHER, str(os.getpid()), *self._command],
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT if output else None,
                start_new_session=True,
            )
        finally:
            if output:
                output.close()

    @property
    def pid(self) -> int:
        """Process id; only after :meth:`start`."""
        assert self._process is not None
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while running, negative: killed by that signal."""
        return self._process.poll() if self._process else None

    def stop(self, seconds: float = 10.0) -> None:
        """SIGTERM, and SIGKILL for the whole group if that does not help in time."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()
        self._process.wait()

    def kill(self) -> None:
        """SIGKILL for the process and its own children."""
        if self._process is None:
            return
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            self._process.kill()
        self._process.wait()

    def last_lines(self, count: int = 15) -> str:
        """The end of the log."""
        if self.log is None or not self.log.exists():
            return ""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-count:])
