"""1830: small situations of the rules document (1830 8.2, 3, 4, 5), by real actions."""

from __future__ import annotations

import pytest

from services.rules.engine.errors import IllegalAction, MalformedAction
from services.rules.titles import new_game
from tests.titles.play import Table


def auctioned() -> Table:
    """Everybody buys two companies at face value; C pars the B&O at 67."""
    table = Table("1830")
    for player, company, price in zip(
        "ABCABC", ("SV", "CS", "DH", "MH", "CA", "BO"), (20, 40, 70, 110, 160, 220), strict=True
    ):
        table.do(player, "bid", company=company, price=price)
    return table.do("C", "par", corporation="B&O", share_price="67,5,6")


def test_auction_hands_out_companies_shares_and_the_par() -> None:
    table = auctioned()
    assert table.cash() == [670, 600, 510]
    game = table.game
    assert game.corporation("PRR").holdings["player:B"] == [1]
    assert game.corporation("B&O").holdings["player:C"] == [0]
    assert game.corporation("B&O").president == "player:C"
    assert game.corporation("B&O").cash == 0
    assert table.acting() == ["A"]


def test_operating_round_without_operators_pays_privates_and_ends() -> None:
    table = auctioned().passes("A", "B", "C")
    assert table.cash() == [695, 635, 555]
    assert table.game.round_label() == "SR 2.1"
    assert {move["type"] for move in table.game.moves()} == {"buy_shares", "par", "buy_company", "pass"}


def test_all_passing_lowers_the_cheapest_company_down_to_a_gift() -> None:
    table = Table("1830")
    for price in (15, 10, 5):
        table.passes("A", "B", "C")
        assert table.game.moves()[0]["price"] == price
    table.passes("A", "B", "C")
    assert table.game.player("A").companies == ["SV"]
    assert table.cash() == [800, 800, 800]
    assert table.acting() == ["B"]


def test_all_passing_after_the_first_sale_pays_privates() -> None:
    table = Table("1830").do("A", "bid", company="SV", price=20).passes("B", "C", "A")
    assert table.cash() == [785, 800, 800]
    assert table.acting() == ["B"]


def test_bids_start_five_above_the_price() -> None:
    table = Table("1830")
    with pytest.raises(IllegalAction, match="115"):
        table.do("A", "bid", company="MH", price=112)
    table.do("A", "bid", company="MH", price=115)
    with pytest.raises(IllegalAction, match="120"):
        table.do("B", "bid", company="MH", price=119)
    table.do("B", "bid", company="MH", price=121)


def test_standing_bids_bind_cash() -> None:
    table = Table("1830").do("A", "bid", company="MH", price=115).passes("B", "C")
    with pytest.raises(IllegalAction, match="685") as caught:
        table.do("A", "bid", company="CA", price=700)
    assert caught.value.details["max"] == 685


def test_the_cheapest_company_has_one_price() -> None:
    with pytest.raises(IllegalAction, match="costs"):
        Table("1830").do("A", "bid", company="SV", price=25)


def test_no_sale_in_the_first_stock_round() -> None:
    table = auctioned().do("A", "par", corporation="NYC", share_price="100,0,6")
    with pytest.raises(IllegalAction):
        table.do("B", "sell_shares", shares=["PRR_1"], percent=10)


def test_priority_goes_to_the_player_after_the_last_to_act() -> None:
    table = auctioned().do("A", "par", corporation="NYC", share_price="67,5,6").passes("B", "C")
    table.do("A", "buy_shares", shares=["NYC_1"], percent=10).passes("B", "C", "A")
    assert table.game.state.player_order == ["B", "C", "A"]


def floated() -> Table:
    """A floats the PRR at 67 with B's help and it operates."""
    table = auctioned().do("A", "par", corporation="PRR", share_price="67,5,6")
    for index, player in enumerate("BCABC", start=2):
        table.do(player, "buy_shares", shares=[f"PRR_{index}"], percent=10)
    return table


def test_full_capitalization_at_sixty_percent() -> None:
    table = floated()
    corporation = table.game.corporation("PRR")
    assert corporation.floated and corporation.cash == 670


def test_home_token_is_free_and_no_train_moves_the_price_left() -> None:
    table = floated().passes("A", "B", "C")
    assert table.step() == "track"
    assert table.game.corporation("PRR").tokens[0].hex == "H12"
    table.passes("PRR")
    assert table.price("PRR") == 65 and table.step() == "train"
    table.do("PRR", "buy_train", train="2-0", price=80, variant="2")
    assert table.game.corporation("PRR").cash == 590


def test_depot_train_costs_its_list_price() -> None:
    table = floated().passes("A", "B", "C", "PRR")
    with pytest.raises(IllegalAction, match="costs"):
        table.do("PRR", "buy_train", train="2-0", price=1, variant="2")
    with pytest.raises(IllegalAction, match="not on sale"):
        table.do("PRR", "buy_train", train="3-0", price=180, variant="3")


def test_blocked_hex_stays_closed_while_a_player_owns_the_company() -> None:
    table = floated().passes("A", "B", "C")
    assert not any(move.get("hex") == "G15" for move in table.game.moves())


def test_president_certificate_is_only_sold_by_par() -> None:
    table = auctioned()
    with pytest.raises(IllegalAction):
        table.do("A", "buy_shares", shares=["NYC_0"], percent=20)
    with pytest.raises(MalformedAction):
        table.do("A", "buy_shares", shares=["NYC_42"], percent=10)


def test_player_counts_of_the_box() -> None:
    for count, cash in ((2, 1200), (3, 800), (4, 600), (5, 480), (6, 400)):
        game = new_game("1830", [(i, str(i)) for i in range(count)], seed=1)
        assert [player.cash for player in game.state.players] == [cash] * count
        assert game.state.bank == 12000 - cash * count
    with pytest.raises(MalformedAction, match="2 to 6"):
        new_game("1830", [(1, "alone")], seed=1)


def test_optional_third_six_train() -> None:
    game = new_game("1830", [(1, "a"), (2, "b")], seed=1, options=["optional_6_train"])
    assert "6-2" in game.state.depot.upcoming
    assert "6-2" not in new_game("1830", [(1, "a"), (2, "b")], seed=1).state.depot.upcoming


def test_unknown_option_is_refused_in_a_new_game() -> None:
    with pytest.raises(MalformedAction, match="multiple_brown_from_ipo"):
        new_game("1830", [(1, "a"), (2, "b")], seed=1, options=["no_such_rule"])
    assert new_game("1830", [(1, "a"), (2, "b")], seed=1, options=["no_such_rule"], mode="imported")
