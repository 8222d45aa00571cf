"""Pricing of track and joining of routes in plain Python; see `pricing` and `join_kernel` for the compiled form."""

from __future__ import annotations

from dataclasses import dataclass

from services.routing.engine import CombineWatch

SCALE = 1 << 10
STEPS = 100
PATIENCE = 6
WORK = 6_000_000


@dataclass(slots=True)
class Route:
    """A route still worth looking at: its place in its list, score, conflict bits as set and as list."""

    row: int
    value: int
    mask: int
    bits: list[int]
    reduced: int = 0


def combine(
    lists: list[list[tuple[int, int]]], counts: list[int], lower: int, gain: int, watch: CombineWatch, *, proof: bool
) -> None:
    """Find and report every set of routes better than the best so far; `lists` are (score, conflict bits) by class."""
    pool = [[Route(row, value, mask, _members(mask)) for row, (value, mask) in enumerate(entries)] for entries in lists]
    combiner = _Combiner(pool, counts, lower, gain, watch)
    combiner.price()
    if not proof:
        return
    if combiner.upper > combiner.lower:
        combiner.join()
    watch.bound(combiner.lower)


def _members(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


class _Combiner:
    def __init__(self, pool: list[list[Route]], counts: list[int], lower: int, gain: int, watch: CombineWatch) -> None:
        self.pool = pool
        self.counts = counts
        self.lower = lower
        self.gain = gain
        self.watch = watch
        self.upper = 1 << 62
        size = max((route.mask.bit_length() for routes in pool for route in routes), default=0)
        self.prices = [0] * size
        self.order = [group for group, count in enumerate(counts) for _ in range(count)]

    def _reduce(self, prices: list[int]) -> tuple[int, list[Route | None]]:
        """Reduced scores of all routes; the bound they prove (scaled) and the best route of each class."""
        upper = sum(prices)
        best: list[Route | None] = []
        for routes, count in zip(self.pool, self.counts, strict=True):
            for route in routes:
                route.reduced = route.value * SCALE - sum(prices[bit] for bit in route.bits)
            top = max(routes, key=lambda route: route.reduced, default=None)
            top = top if top is not None and top.reduced > 0 else None
            upper += count * (top.reduced if top else 0)
            best.append(top)
        return upper, best

    def price(self) -> None:
        """Subgradient steps for prices with a low bound; routes that cannot be in a better set are dropped."""
        prices, best_prices, best_upper = list(self.prices), list(self.prices), 1 << 90
        stalled, factor, work = 0, 1.0, 0
        for step in range(STEPS):
            upper, tops = self._reduce(prices)
            work += sum(len(routes) for routes in self.pool)
            self.watch.tick(1)
            if upper < best_upper:
                best_upper, best_prices, stalled = upper, list(prices), 0
                self.upper = max(self.lower, upper // (SCALE * self.gain) * self.gain)
                self.watch.bound(self.upper)
            else:
                stalled += 1
                if stalled >= PATIENCE:
                    stalled, factor = 0, factor / 2
            if step % 4 == 0:
                self._greedy(step)
            if self.upper <= self.lower or factor < 0.01 or work > WORK:
                break
            self._drop(upper, tops)
            usage = [-1] * len(prices)
            for top, count in zip(tops, self.counts, strict=True):
                for bit in top.bits if top else ():
                    usage[bit] += count
            slope = [s if price or s > 0 else 0 for s, price in zip(usage, prices, strict=True)]
            square = sum(s * s for s in slope)
            if not square:
                break
            size = factor * max(upper - self.lower * SCALE, SCALE * self.gain) / square
            prices = [max(0, price + int(s * size)) for s, price in zip(slope, prices, strict=True)]
        self.prices = best_prices
        self._drop(*self._reduce(best_prices))

    def _drop(self, upper: int, tops: list[Route | None]) -> None:
        needed = (self.lower + self.gain) * SCALE
        for group, top in enumerate(tops):
            least = needed - upper + (top.reduced if top else 0)
            self.pool[group] = [route for route in self.pool[group] if route.reduced >= least]

    def _greedy(self, step: int) -> None:
        used, value = 0, 0
        choice = []
        turn = step % len(self.order)
        for group in self.order[turn:] + self.order[:turn]:
            free = (route for route in self.pool[group] if not route.mask & used)
            best = max(free, key=lambda route: route.reduced, default=None)
            if best:
                used |= best.mask
                value += best.value
                choice.append((group, best.row))
        if value > self.lower:
            self.lower = value
            self.watch.better(value, choice)

    def join(self) -> None:
        """Depth first over trains, lists in falling reduced score, an idle train last in value 0."""
        idle = Route(-1, 0, 0, [])
        pool = [sorted([*routes, idle], key=lambda route: -route.reduced) for routes in self.pool]
        lists = [pool[group] for group in self.order]
        rest = [0] * (len(lists) + 1)
        for number in range(len(lists) - 1, -1, -1):
            rest[number] = rest[number + 1] + lists[number][0].reduced
        base = sum(self.prices)
        chosen: list[Route] = []

        def place(number: int, start: int, used: int, total: int) -> None:
            if number == len(lists):
                value = sum(route.value for route in chosen)
                if value > self.lower:
                    self.lower = value
                    pairs = zip(self.order, chosen, strict=True)
                    self.watch.better(value, [(group, route.row) for group, route in pairs if route.row >= 0])
                return
            same = number + 1 < len(lists) and self.order[number + 1] == self.order[number]
            for index in range(start, len(lists[number])):
                route = lists[number][index]
                if base + total + route.reduced + rest[number + 1] < (self.lower + self.gain) * SCALE:
                    return
                if index % 64 == 0:
                    self.watch.tick(64)
                if not route.mask & used:
                    chosen.append(route)
                    place(number + 1, index if same else 0, used | route.mask, total + route.reduced)
                    chosen.pop()

        place(0, 0, 0, 0)
