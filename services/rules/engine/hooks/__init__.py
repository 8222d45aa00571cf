"""What a title may answer differently, by subject. ``Title`` inherits them all; the answers here are core.md's."""

from __future__ import annotations

from .board import BoardHooks
from .revenue import RevenueHooks
from .shares import ShareHooks
from .trains import TrainHooks

__all__ = ["BoardHooks", "RevenueHooks", "ShareHooks", "TrainHooks"]
