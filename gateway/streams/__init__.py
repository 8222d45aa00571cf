"""Live updates: one stream from the rules service, fanned out to everybody who watches.

`hub` has the fan-out, `feeds` what a watcher of one game or of all games gets and how it resumes, `formats`
the two ways to write it down (server-sent events and NDJSON).
"""
