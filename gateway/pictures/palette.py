"""Colors of the pictures."""

from __future__ import annotations

import re

HEX_FILL = {
    "white": "#f7f3e6",
    "yellow": "#fbe04f",
    "green": "#7cbf6b",
    "brown": "#c98f5c",
    "gray": "#bfc2c6",
    "red": "#e4695c",
    "blue": "#86bfe6",
    "purple": "#b79bd6",
}
VALUE_FILL = {
    "white": "#ffffff",
    "yellow": "#fbe04f",
    "green": "#7cbf6b",
    "brown": "#c08050",
    "gray": "#a9acb0",
    "red": "#e4695c",
    "blue": "#86bfe6",
    "purple": "#b79bd6",
}
SEA = "#e6edf2"
OUTLINE = "#6b6558"
INK = "#1d1d1b"
FAINT = "#8b877d"
TRACK = "#1d1d1b"
WATER = "#2b7fc4"
IMPASSABLE = "#c3202f"
MOUNTAIN = "#7b5436"
ROUTES = ("#e6194b", "#1565d8", "#0a8f3c", "#b429c8", "#f58231", "#00a5a8", "#7a4a12", "#ff4fa3")
"""One color a train, in order of the routes."""

CELL_FILL = {
    "": "#ffffff",
    "par": "#f2a99f",
    "par_1": "#f9c9a8",
    "par_2": "#e7a4c6",
    "par_3": "#c6a4e7",
    "par_overlap": "#f4bfae",
    "par_unchartered": "#f9dcc0",
    "no_cert_limit": "#fbe77a",
    "unlimited": "#f6ae59",
    "multiple_buy": "#b98a63",
    "endgame": "#8fb4e8",
    "close": "#6f6f6f",
    "liquidation": "#d9534f",
    "forgive_1": "#d5ead0",
    "forgive_2": "#a9d3c0",
    "cap": "#cfd3d8",
    "convert": "#bfe3ee",
}
CELL_TEXT = {
    "par": "par price",
    "par_1": "par price, first kind",
    "par_2": "par price, second kind",
    "par_3": "par price, third kind",
    "par_overlap": "par price of two kinds",
    "par_unchartered": "par price without a charter",
    "no_cert_limit": "certificates not counted",
    "unlimited": "no holding limit, certificates not counted",
    "multiple_buy": "several purchases a turn",
    "endgame": "ends the game",
    "close": "corporation closes",
    "liquidation": "liquidation",
    "forgive_1": "first share of a sale moves no marker",
    "forgive_2": "first two shares of a sale move no marker",
    "cap": "highest price at a conversion",
    "convert": "price of a converted corporation",
}
_COLOR = re.compile(r"#[0-9A-Fa-f]{3}|#[0-9A-Fa-f]{6}|[A-Za-z]+")


def safe_color(color: str, default: str) -> str:
    """A color of a data file if it is a plain name or hexadecimal value, else ``default``."""
    return color if _COLOR.fullmatch(color) else default
