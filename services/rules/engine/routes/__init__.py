"""Routes: reading recorded ones, legality, paid stops and revenue (core 9). ``check.check_run`` is the entry."""
