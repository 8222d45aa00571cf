"""The Celery application of the routing service.

Configuration from the environment:

| variable | default | meaning |
|---|---|---|
| `REDIS_URL` | `redis://127.0.0.1:6379/0` | broker and store |
| `ROUTING_VISIBILITY_SECONDS` | 60 | after this time a task that a killed worker had taken goes to another
one |

Run a worker with `celery -A services.routing.app worker -Q interactive,background`. Interactive jobs go
first.
"""

from __future__ import annotations

import gc
import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

INTERACTIVE = "interactive"
BACKGROUND = "background"
QUEUES = (INTERACTIVE, BACKGROUND)
KEY_PREFIX = "routing:"


def redis_url() -> str:
    """Where the broker and the store are."""
    return os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")


def make_app(url: str) -> Celery:
    """An application on the Redis server at `url`.

    Tasks are acknowledged when they end, so the task of a killed worker process is run again: at once if its
    parent is alive, after the visibility timeout if the whole worker died. Clients notice a dead worker
    earlier, by its lease (`services.routing.store`). Results are not kept by Celery but in that store.
    """
    app = Celery("routing", broker=url, include=["services.routing.tasks"])
    app.conf.update(
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_ignore_result=True,
        task_default_queue=INTERACTIVE,
        task_create_missing_queues=True,
        task_serializer="json",
        accept_content=["json"],
        worker_prefetch_multiplier=1,
        worker_proc_alive_timeout=120,
        worker_max_memory_per_child=1_500_000,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "global_keyprefix": KEY_PREFIX,
            "visibility_timeout": int(os.environ.get("ROUTING_VISIBILITY_SECONDS", "60")),
            "queue_order_strategy": "priority",
            "socket_keepalive": True,
        },
    )
    return app


app = make_app(redis_url())


@worker_init.connect  # type: ignore[untyped-decorator]
def _prepare(**_: Any) -> None:
    """Load the compiled code before the worker forks, so that its processes share it.

    What is loaded now stays for good: collecting garbage in between would only cost time, and later it would
    write to memory that the processes share.
    """
    from services.routing.preparation import prepare_worker

    gc.disable()
    prepare_worker()
    gc.freeze()
    gc.enable()
