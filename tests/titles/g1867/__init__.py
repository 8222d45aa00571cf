"""Tests of 1867."""
