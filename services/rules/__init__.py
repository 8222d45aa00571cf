"""The rules service: owns the state of every game and answers for it over gRPC.

``engine`` and ``titles`` know the rules and nothing else; ``store`` keeps games in Redis. Between them ``games``
(changes), ``positions`` (games in memory) and ``exchange`` (import and export); around them ``servicer`` (the RPCs),
``failures`` (errors), ``watch`` (live updates), ``worker`` and ``server`` (the processes). ``hosting`` says what the
service needs of an engine, ``rulebook`` provides it.

It promises what ``games`` explains: an acknowledged action is written, once, and a refused one leaves nothing behind.
"""
