"""``python launch.py PARENT COMMAND...``: become a command that gets SIGTERM when process PARENT ends (Linux)."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

if __name__ == "__main__":
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != int(sys.argv[1]):
            sys.exit("the parent is gone")
    os.execvp(sys.argv[2], sys.argv[2:])
