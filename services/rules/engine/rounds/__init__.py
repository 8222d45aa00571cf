"""Rounds: how turns follow each other (core 2.2-2.6). ``base`` is the machine, the others are the kinds of rounds."""
