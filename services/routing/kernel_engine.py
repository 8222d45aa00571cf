"""The compiled engine: keeps the kernel's arrays and runs it in slices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from services.routing import join_kernel, kernel, pricing
from services.routing.contract import Network
from services.routing.engine import Best, CombineWatch, Entry, Path, TooManyRoutes, Watch, running_order
from services.routing.kernel_value import ILLEGAL
from services.routing.local_search import LocalSearch
from services.routing.plan import (
    MASK,
    PAY,
    SHARED_WORDS,
    STOPS,
    WORD,
    WORDS,
    Ints,
    Plan,
    Words,
    make_plan,
    words,
)
from services.routing.rules import PAY_ENDS, TrainRules

SLICE = 100_000
COPIED_AT_ONCE = 200_000
MAX_ROUTES = 3_000_000
MAX_STATES = 2_000_000_000


@dataclass
class KernelList:
    """Routes as arrays; `log` tells how each was grown."""

    values: Ints
    masks: Words
    nodes: Ints
    extra: Words
    log: Ints

    def __len__(self) -> int:
        return len(self.values)

    def entry(self, number: int) -> Entry:
        mask = sum(int(word) << (WORD * position) for position, word in enumerate(self.masks[number]))
        return Entry(int(self.values[number]), mask, self.path(number))

    def distinct(self) -> list[tuple[int, int, int, Path]]:
        """(visited stops, the two link ends, links) of routes that differ in visited stops or ends."""
        _, rows = np.unique(self.extra, axis=0, return_index=True)
        return [
            (int(self.extra[row, 0]), int(self.extra[row, 1]), int(self.extra[row, 2]), self.path(row))
            for row in np.sort(rows)
        ]

    def path(self, number: int) -> Path:
        """Links of one route in running order."""
        steps = []
        node = int(self.nodes[number])
        while node >= 0:
            steps.append(int(self.log[node, 1]))
            node = int(self.log[node, 0])
        return _decode(steps[::-1])


class KernelEngine:
    """See `services.routing.engine.Engine`."""

    name = "kernel"

    def __init__(self, groups: list[TrainRules], network: Network, places: list[tuple[int, int]]) -> None:
        self.groups = groups
        self.network = network
        self.plans: list[Plan] = [make_plan(rules, network, places) for rules in groups]
        self.paused: dict[int, kernel.State] = {}
        self.slice = SLICE * 100 // max(100, len(network.links))

    def best(
        self,
        group: int,
        blocked: int,
        target: int,
        gain: int,
        watch: Watch,
        budget: int | None = None,
        *,
        resume: bool = False,
    ) -> Best:
        plan = self.plans[group]
        state = self.paused.pop(group, None) if resume else None
        size = self.slice
        if state is None:
            state = _state(plan, blocked, target, keep=False, gain=gain)
            size = self.slice // 10
        output = _output(plan, 1, extra=False)
        control = state.control
        control[kernel.TARGET] = max(control[kernel.TARGET], target)
        control[kernel.BEST] = ILLEGAL
        best, status, begin = Best(), kernel.MORE, int(control[kernel.STATES])
        while status != kernel.DONE:
            before = int(control[kernel.STATES])
            status = kernel.enumerate_routes(plan, state, output, size)
            size = self.slice
            if control[kernel.BEST] > max(best.score, ILLEGAL):
                start = int(plan.config[STOPS]) + 2
                steps = state.path[start : start + int(control[kernel.BEST_DEPTH])]
                best = Best(int(control[kernel.BEST]), _decode([int(step) for step in steps]))
                watch.found(best.score, best.path or [])
            watch.tick(int(control[kernel.STATES]) - before)
            if budget is not None and control[kernel.STATES] - begin > budget:
                best.complete = status == kernel.DONE
                if resume and not best.complete:
                    self.paused[group] = state
                break
        return best

    def improver(self, classes: list[int]) -> LocalSearch | None:
        plans = [self.plans[number] for number in classes]
        return None if any(plan.config[PAY] == PAY_ENDS for plan in plans) else LocalSearch(plans)

    def collect(self, group: int, target: int, watch: Watch, *, extra: bool = False) -> KernelList:
        plan = self.plans[group]
        state = _state(plan, 0, target, keep=True, gain=0)
        state.control[kernel.VISITED_TOO] = extra
        output = _output(plan, 2_000, extra=extra)
        control = state.control
        status = kernel.MORE
        while status != kernel.DONE:
            before = int(control[kernel.STATES])
            status = kernel.enumerate_routes(plan, state, output, self.slice)
            watch.tick(int(control[kernel.STATES]) - before)
            if status == kernel.FULL:
                if control[kernel.COUNT] >= MAX_ROUTES:
                    raise TooManyRoutes("too many routes to keep")
                output = _grow(output, int(control[kernel.COUNT]), int(control[kernel.LOGGED]), watch)
        count, logged = int(control[kernel.COUNT]), int(control[kernel.LOGGED])
        return KernelList(
            output.values[:count],
            output.masks[:count],
            output.nodes[:count],
            output.extra[: count if extra else 0],
            output.log[:logged],
        )

    def combine(
        self, lists: list[KernelList], counts: list[int], lower: int, gain: int, watch: CombineWatch, *, proof: bool
    ) -> None:
        pool = pricing.Pool.of([entry.values for entry in lists], [entry.masks for entry in lists], counts)
        pricing.price(pool, lower, gain, watch)
        join_kernel.join(pool, gain, watch, proof=proof)


class _Silent:
    """Takes no notice of anything."""

    def tick(self, states: int) -> None:
        """Nothing."""

    def better(self, value: int, choice: list[tuple[int, int]]) -> None:
        """Nothing."""

    def bound(self, value: int) -> None:
        """Nothing."""


def exercise(engine: KernelEngine, *, rare: bool) -> None:
    """Call the compiled functions that small problems do without; the `rare` ones are for huge maps."""
    for plan in engine.plans:
        if rare and plan.config[PAY] != PAY_ENDS:
            LocalSearch([plan]).cool(0, lambda score, paths: None, lambda count: None, steps=1)
    values = np.arange(1, 5, dtype=np.int64)
    masks = np.ones((4, 1), dtype=np.uint64)
    for trains in (2, 4):
        pool = pricing.Pool.of([values], [masks], [trains])
        pool.upper = 100
        join_kernel.join(pool, 1, _Silent(), proof=True)
    pricing.price(pricing.Pool.of([values, values], [masks, masks], [1, 1]), 0, 1, _Silent())


def _decode(steps: list[int]) -> Path:
    """Running order of links logged from a station outwards."""
    split = next((number for number, step in enumerate(steps) if step & kernel.SECOND), len(steps))
    return running_order(steps[:split], [step & ~kernel.SECOND for step in steps[split:]])


def _state(plan: Plan, blocked: int, target: int, *, keep: bool, gain: int) -> kernel.State:
    stops = int(plan.config[STOPS])
    size = int(plan.config[WORDS])
    control = np.zeros(kernel.CONTROL_SIZE, dtype=np.int64)
    control[kernel.DEPTH] = -1
    control[kernel.TARGET] = target
    control[kernel.KEEP] = keep
    control[kernel.GAIN] = gain
    control[kernel.BEST] = ILLEGAL
    return kernel.State(
        control=control,
        frames=np.zeros((stops + 2, kernel.FRAME_SIZE), dtype=np.int64),
        marks=np.zeros((stops + 2, kernel.USED + size), dtype=np.uint64),
        counts=np.zeros((stops + 2, max(1, plan.limits.shape[0])), dtype=np.int64),
        path=np.zeros(2 * stops + 4, dtype=np.int64),
        blocked=np.array(words(blocked, size), dtype=np.uint64),
        scratch=np.zeros(max(1, plan.pay_limits.shape[0]), dtype=np.uint64),
    )


def _output(plan: Plan, size: int, *, extra: bool) -> kernel.Output:
    shared = int(plan.config[SHARED_WORDS])
    stops = int(plan.config[STOPS])
    return kernel.Output(
        values=np.empty(size, dtype=np.int64),
        masks=np.empty((size, shared), dtype=np.uint64),
        nodes=np.empty(size, dtype=np.int64),
        extra=np.empty((size if extra else 1, 3), dtype=np.uint64),
        log=np.empty((size + 2 * stops + 2, 2), dtype=np.int64),
    )


def _grow(output: kernel.Output, count: int, logged: int, watch: Watch) -> kernel.Output:
    """Room for more routes: 4 times as much, at most the cap."""

    def larger(array: Any, used: int, size: int) -> Any:
        bigger = np.empty((size, *array.shape[1:]), dtype=array.dtype)
        for begin in range(0, used, COPIED_AT_ONCE):
            end = min(used, begin + COPIED_AT_ONCE)
            bigger[begin:end] = array[begin:end]
            watch.tick(0)
        return bigger

    size = max(count, output.values.shape[0])
    size = min(MAX_ROUTES, size * 4) if count >= output.values.shape[0] else size
    log_size = output.log.shape[0] * 3 if logged * 2 > output.log.shape[0] else output.log.shape[0]
    has_extra = output.extra.shape[0] > 1
    return kernel.Output(
        values=larger(output.values, count, size),
        masks=larger(output.masks, count, size),
        nodes=larger(output.nodes, count, size),
        extra=larger(output.extra, count, size) if has_extra else output.extra,
        log=larger(output.log, logged, log_size),
    )


__all__ = ["MASK", "KernelEngine", "KernelList"]
