#!/bin/sh
# Start a routing worker with the search compiled when the image was built. The file system is read-only, but numba
# refuses a cache it cannot write to: it gets a copy.
set -eu
mkdir -p "$NUMBA_CACHE_DIR"
cp -R /app/numba-cache/. "$NUMBA_CACHE_DIR"
exec python -m services.cli serve worker "$@"
