"""The store: every game's log, newest snapshot and index entries in Redis.

Keys of one game carry the hash tag ``{game:<id>}`` (:mod:`.keys`):

* ``log``: a stream of the newest raw log entries; the entry of version *v* has the id ``<v>-0``, so a version
  can be written only once and never out of order;
* ``snaps``: the encoded, compressed state of the newest version, and of some versions before it
  (checkpoints); any of them may get lost, the log rebuilds them;
* ``archive``: older entries and checkpoints, compressed together in blocks; they move here after they were
  written, in one script, and never change;
* ``meta``: what the game is, and its newest version with what lists show;
* ``idem:<hash>``: the answer given to an idempotency key, with a lifetime.

One Lua script (``append.lua``) checks the expected version, appends, snapshots, indexes, remembers the answer
and announces the new version: a reader sees all of it or nothing, and a process killed at any instruction
leaves all of it or nothing. The index keys (:class:`.keys.Index`) have no game's tag, so this atomicity needs
a Redis whose keys share one node (a primary with any number of replicas). On a Redis Cluster the games' own
keys are laid out to be sharded, but the scripts would be refused for touching two slots: run one primary per
group of games instead.

What an acknowledged action survives depends on Redis. With ``appendfsync always`` it is on disk before the answer: it
survives SIGKILL of every process and a power loss. With ``no`` it survives SIGKILL, but not always a power loss. With
``everysec`` it may not even survive SIGKILL of Redis: Redis puts off writing to the append-only file for up to two
seconds while the disk is busy, and answers all the same. Replicas that must confirm (``min_replicas``, WAIT)
keep it when the primary's disk is lost.
"""
