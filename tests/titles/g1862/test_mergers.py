"""Mergers, acquisitions and refinancing, certificate by certificate (1862 4.9; examples of section 9)."""

from __future__ import annotations

from services.rules.engine.board import tokens
from services.rules.engine.game import Game
from services.rules.engine.state import IPO, POOL, Token
from services.rules.titles.g1862 import charters, mergers, takeover
from services.rules.titles.g1862.state import of

from .merging import floated, merge, two_corporations
from .table import act, cash, corporation, hold, price, refused, start, where


def test_the_example_of_an_acquisition() -> None:
    game = two_corporations()
    merge(game, "EUR", "N&E", survives=True)
    assert price(game, "EUR") == 150
    assert corporation(game, "EUR").base_par == (0, 26)
    question = of(game).merger
    assert question is not None
    assert question.question is not None
    assert (question.question.holder, question.question.redeem) == ("player:J1", 75)
    assert where(game) == "J1:option_share"
    assert refused(game, "J1", "choose", choice="keep") == "unknown_choice"
    assert refused(game, "J1", "pass") == "wrong_action"
    act(game, "J1", "choose", choice="redeem")
    assert cash(game, "J1") == 725
    line = corporation(game, "EUR")
    assert line.holdings["player:J1"] == [0, 1, 2, 3, 4]
    assert sorted(line.holdings["player:J2"]) == [5, 6]
    assert (line.capitalization, line.chartered, line.cash) == ("incremental", False, 371)
    assert line.permits == ["express", "freight"]
    assert [t.hex for t in line.tokens] == ["E12", "B15", "B13", None, None, None]
    other = corporation(game, "N&E")
    assert (other.started, other.cash, other.trains) == (False, 0, [])
    assert other.holdings == {IPO: list(range(8))}
    assert game.state.board["B13"].icons == ["N&E"]


def test_the_survivor_goes_on_with_track_if_it_had_not_operated() -> None:
    game = two_corporations()
    merge(game, "EUR", "N&E", survives=True)
    act(game, "J1", "choose", choice="sell")
    assert where(game) == "EUR:option_share"
    act(game, "EUR", "choose", choice="redeem")
    assert where(game) == "EUR:track"
    assert game.round.entities == ["corporation:EUR"]
    assert of(game).skip_turn == []


def test_a_partner_that_has_operated_ends_the_turn() -> None:
    game = two_corporations()
    game.round.entities.reverse()
    game.round.index = 1
    merge(game, "EUR", "N&E", survives=True)
    for _ in range(2):
        if of(game).merger is not None:
            who = where(game).split(":")[0]
            act(game, who, "choose", choice="sell")
    assert of(game).merger is None
    assert game.round_label() != "OR 1.1" or of(game).skip_turn == ["EUR"]


def refinancing(**holders: list[int]) -> Game:
    """N&S at 36 with base par 58, treasury 373 (1862 9, T3)."""
    game = start(4, seed=195901436)
    floated(game, "N&S", 6, cash=373)
    corporation(game, "N&S").base_par = (0, 14)
    corporation(game, "N&S").president = "player:J4"
    hold(game, "N&S", **holders)
    game.start_round("operating", 1)
    return game


def test_the_example_of_a_refinancing() -> None:
    game = refinancing(J4=[0], J3=[4], pool=[1, 2, 6, 5, 7])
    line = corporation(game, "N&S")
    line.holdings["corporation:N&S"] = [3]
    mergers.begin_refinancing(game, line)
    answers = []
    while of(game).merger is not None:
        question = of(game).merger.question  # type: ignore[union-attr]
        assert question is not None
        answers.append((question.holder, question.index, question.redeem))
        mergers.answer(game, "redeem")
    assert answers == [("player:J4", 5, 18), ("player:J3", 4, 18), ("corporation:N&S", 3, 18)]
    assert line.holdings["player:J4"] == [7, 5]
    assert line.holdings[POOL] == [1, 2, 0, 6]
    assert line.president == POOL
    assert line.cash == 373 - 18 + 580


def test_a_president_certificate_nobody_can_change_becomes_an_option() -> None:
    game = refinancing(J4=[0, 1, 2], J3=[4, 5], ipo=[3, 6, 7])
    line = corporation(game, "N&S")
    line.chartered = False
    line.capitalization = "incremental"
    game.player("J4").cash = 100
    mergers.begin_refinancing(game, line)
    merger = of(game).merger
    assert merger is not None
    question = merger.question
    assert question is not None
    assert (question.index, question.percent, question.sell, question.redeem) == (0, 50, 90, 18)
    assert line.holdings[POOL] == [2, 1]


def test_surplus_tokens_are_removed_one_by_one() -> None:
    game = two_corporations()
    line, other = corporation(game, "EUR"), corporation(game, "N&E")
    line.tokens = [*line.tokens[:2], *(Token(price=0) for _ in range(2))]
    other.tokens = [*other.tokens[:1], *(Token(price=0) for _ in range(5))]
    put_at = (("D13", 0), ("D11", 0))
    for index, (hex_id, slot) in enumerate(put_at, start=2):
        tokens.place(game.title.map, game.state, "EUR", index, hex_id, 0, slot)
    for index, hex_id in enumerate(("C10", "G12", "H7", "E8"), start=1):
        tokens.place(game.title.map, game.state, "N&E", index, hex_id, 0, 0)
    merge(game, "EUR", "N&E", survives=True)
    act(game, "J1", "choose", choice="redeem")
    if of(game).merger is not None and of(game).removal is None:
        act(game, "EUR", "choose", choice="sell")
    removal = of(game).removal
    assert removal is not None
    assert removal.count == 2
    assert removal.hexes == ["B15", "D13", "D11", "B13", "C10", "G12", "H7", "E8"]
    assert where(game) == "EUR:remove_tokens"
    assert refused(game, "EUR", "remove_token", city="E12-2-0", slot=0) == "wrong_hex"
    assert refused(game, "EUR", "remove_token", city="D13-14-0", slot=1) == "not_its_token"
    act(game, "EUR", "remove_token", city="D13-14-0", slot=0)
    act(game, "EUR", "remove_token", city="C10-11-0", slot=0)
    placed = [t.hex for t in takeover.placed(corporation(game, "EUR"))]
    assert len(placed) == takeover.most_tokens(game) == 7
    assert placed[0] == "E12"


def test_eight_tokens_are_an_option() -> None:
    assert takeover.most_tokens(start(options=("eight_tokens",))) == 8


def test_tokens_in_the_same_city_and_second_london_links_are_destroyed() -> None:
    game = two_corporations()
    other = corporation(game, "N&E")
    other.tokens = [*other.tokens[:1], Token(price=0)]
    tokens.place(game.title.map, game.state, "N&E", 1, "D15", 0, 0)
    merge(game, "EUR", "N&E", survives=True)
    while of(game).merger is not None:
        act(game, where(game).split(":")[0], "choose", choice="sell")
    assert [t.hex for t in takeover.placed(corporation(game, "EUR"))] == ["E12", "B15", "B13"]


def test_a_bankrupt_corporation_pays_its_players_the_effective_price() -> None:
    game = two_corporations()
    money = [cash(game, "J1"), cash(game, "J2")]
    charters.bankrupt(game, corporation(game, "EUR"))
    assert [cash(game, "J1") - money[0], cash(game, "J2") - money[1]] == [600, 400]
    assert not corporation(game, "EUR").started
    assert game.state.depot.trains["A-0"].owner is None
    assert "EUR" in of(game).skip_turn
