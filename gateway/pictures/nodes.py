"""Cities with their tokens and reservations, towns, and the rings of routes around stops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .design import BoardHex, CityTokens, Owner
from .palette import FAINT, INK
from .placement import SLOT, TOWN, Site, place
from .svg import caption, circle, label, line, polyline_path, tag, text_width

UNKNOWN = Owner(name="", color="#777777", text_color="#ffffff")
TOKEN = SLOT - 2.5


def nodes(h: BoardHex, layout: str, owners: Mapping[str, Owner], rings: Mapping[int, Sequence[str]]) -> str:
    """Cities and towns of a hex; ``rings`` gives the colors of the routes that stop at a node, by node."""
    sites = place(h.design, layout, h.rotation).sites
    parts = []
    for index, (node, site) in enumerate(zip(h.design.nodes, sites, strict=True)):
        colors = rings.get(index, ())
        if node.kind == "city":
            tokens = h.cities[node.city] if node.city < len(h.cities) else CityTokens()
            parts.append(_city(site, tokens, owners, colors))
        elif node.kind == "town":
            parts.append(_town(site, colors))
    if not parts:
        return ""
    return tag("g", parts, data_hex=h.id, transform=f"translate({h.center.real:.1f} {h.center.imag:.1f})")


def _hull(site: Site) -> str:
    """Line through the slots of a city; drawn thick it is the city's shape."""
    slots = site.slots
    if len(slots) == 1:
        return f"M{slots[0].real:.1f},{slots[0].imag:.1f}h0"
    ring = (slots[0], slots[1], slots[3], slots[2]) if len(slots) == 4 else slots
    return polyline_path(ring) + ("Z" if len(ring) > 2 else "")


def _ring(d: str, radius: float, colors: Sequence[str]) -> list[str]:
    return [
        _shape(d, 2 * (radius + 4.5 * (i + 1)), color, "none", class_="stop")
        for i, color in reversed(list(enumerate(colors)))
    ]


def _shape(d: str, width: float, color: str, fill: str, **attributes: str) -> str:
    return tag(
        "path",
        d=d,
        stroke=color,
        stroke_width=width,
        fill=fill,
        stroke_linecap="round",
        stroke_linejoin="round",
        **attributes,
    )


def _city(site: Site, tokens: CityTokens, owners: Mapping[str, Owner], colors: Sequence[str]) -> str:
    d = _hull(site)
    parts = _ring(d, SLOT + 1, colors)
    parts.append(_shape(d, 2 * SLOT + 3, INK, INK))
    parts.append(_shape(d, 2 * SLOT - 1, "#fff", "#fff"))
    for index, middle in enumerate(site.slots):
        sym = tokens.slots[index] if index < len(tokens.slots) else None
        kept = tokens.reserved[index] if index < len(tokens.reserved) else None
        if len(site.slots) > 1:
            parts.append(circle(middle, SLOT - 1, fill="none", stroke=FAINT, stroke_width=0.8))
        if sym:
            parts.append(token(middle, TOKEN, sym, owners))
        elif kept:
            parts.append(reservation(middle, kept))
    return tag("g", parts, class_="city")


def fitted(text: str, width: float, largest: float) -> float:
    """Font size at which text fits a width."""
    return min(largest, largest * width / max(1.0, text_width(text, largest)))


def token(middle: complex, radius: float, sym: str, owners: Mapping[str, Owner]) -> str:
    """A station marker. A neutral token (leading ``~``) is paler and has a broken rim."""
    neutral = sym.startswith("~")
    name = sym.removeprefix("~")
    owner = owners.get(name, UNKNOWN)
    parts = [
        caption(f"{name} {owner.name}".strip() + (" (neutral)" if neutral else "")),
        circle(
            middle,
            radius,
            fill=owner.color,
            fill_opacity=0.55 if neutral else None,
            stroke=INK,
            stroke_width=1.4,
            stroke_dasharray="5 3" if neutral else None,
        ),
        label(
            middle,
            name,
            fitted(name, radius * 1.72, radius * 0.82),
            fill=owner.text_color,
            font_weight="bold",
        ),
    ]
    return tag("g", parts, class_="token", data_token=name)


def reservation(middle: complex, sym: str) -> str:
    """A faint name in an empty slot."""
    return tag(
        "g",
        label(middle, sym, fitted(sym, TOKEN * 1.75, 16), fill=FAINT, fill_opacity=0.8, font_style="italic"),
        class_="reservation",
        data_reserved=sym,
    )


def _town(site: Site, colors: Sequence[str]) -> str:
    """A bar across the track, or a dot where track ends or branches."""
    here = site.position
    if site.tangent is None:
        d = f"M{here.real:.1f},{here.imag:.1f}h0"
        core = circle(here, TOWN, fill=INK, stroke="#fff", stroke_width=2)
        return tag("g", [*_ring(d, TOWN, colors), core], class_="town")
    across = site.tangent * 1j * 15
    d = polyline_path([here - across, here + across])
    rim = line(here - across * 1.1, here + across * 1.1, stroke="#fff", stroke_width=13)
    bar = line(here - across, here + across, stroke=INK, stroke_width=9.5)
    return tag("g", [*_ring(d, 5, colors), rim, bar], class_="town")
