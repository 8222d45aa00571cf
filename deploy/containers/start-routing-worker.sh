#!/bin/sh
# Start a routing worker with the search compiled when the image was built. The file system is read-only, but numba
# refuses a cache it cannot write to: it gets a copy.
set -eu
mkdir -p "$ROUTING_CODE_CACHE"
cp -R /app/route-code/. "$ROUTING_CODE_CACHE"
exec python -m services.cli serve worker "$@"
