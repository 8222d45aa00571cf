"""Counters of this process in the text format of Prometheus."""

from __future__ import annotations

from collections import Counter

_BUCKETS = (0.002, 0.004, 0.008, 0.016, 0.03, 0.06, 0.125, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """Requests by endpoint and status, and how long they took (seconds)."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: Counter[tuple[str, float]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._count: Counter[str] = Counter()

    def observe(self, endpoint: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests[endpoint, status] += 1
        self._count[endpoint] += 1
        self._seconds[endpoint] += seconds  # type: ignore[assignment]
        for bucket in _BUCKETS:
            if seconds <= bucket:
                self._buckets[endpoint, bucket] += 1
                break

    def render(self, streams: int) -> str:
        """The page to scrape; `streams` is the number of open event streams."""
        lines = ["# TYPE roundhouse_gateway_requests_total counter"]
        for (endpoint, status), number in sorted(self._requests.items()):
            lines.append(f'roundhouse_gateway_requests_total{{operation="{endpoint}",status="{status}"}} {number}')
        lines.append("# TYPE roundhouse_gateway_request_seconds histogram")
        for endpoint in sorted(self._count):
            lines += self._histogram(endpoint)
        lines += ["# TYPE roundhouse_gateway_streams gauge", f"roundhouse_gateway_streams {streams}"]
        return "\n".join(lines) + "\n"

    def _histogram(self, endpoint: str) -> list[str]:
        name, total, lines = "roundhouse_gateway_request_seconds", 0, []
        for bucket in _BUCKETS:
            total += self._buckets[endpoint, bucket]
            lines.append(f'{name}_bucket{{operation="{endpoint}",le="{bucket}"}} {total}')
        lines.append(f'{name}_bucket{{operation="{endpoint}",le="+Inf"}} {self._count[endpoint]}')
        lines.append(f'{name}_sum{{operation="{endpoint}"}} {self._seconds[endpoint]:.6f}')
        lines.append(f'{name}_count{{operation="{endpoint}"}} {self._count[endpoint]}')
        return lines
