"""Fixtures of all end-to-end tests."""

from tests.e2e.http_stack import http_stack, operator

__all__ = ["http_stack", "operator"]
