"""Pictures of a game as SVG text: the map with tiles, tokens and routes, and the stock market.

Both functions work on plain JSON data: ``title`` is the static description of a title (its map, tiles,
market and corporations), ``view`` holds the state of a game under the key ``state``. Nothing of the rules
service is imported. The same input always gives the same bytes.
"""

from .board import render_map
from .market import render_market

__all__ = ["render_map", "render_market"]
