"""The HTTP gateway: REST, server-sent events and pictures over the rules service's gRPC contract.

Reading order: `app` (the factory and what happens to a request), `operations` (how an endpoint is declared),
`resources` (the endpoints), `rules` (the client of the rules service), `streams` (live updates).

The gateway knows games only through `protos`. In Redis it owns the keys that start with `gateway:` and reads
no others, except through `services.routing.client`, the routing service's own client.
"""
