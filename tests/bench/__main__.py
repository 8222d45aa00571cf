"""``make bench``: every benchmark, one after the other, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    failed = False
    for path in sorted(Path(__file__).parent.glob("*_bench.py")):
        print(f"== {path.stem.removesuffix('_bench')}", flush=True)
        failed |= subprocess.run([sys.executable, "-m", f"tests.bench.{path.stem}"], check=False).returncode != 0
    sys.exit(failed)
