"""Tests of 1861."""
