"""Conversions and mergers: partners, shares, presidency, tokens, discards (1867 4.11, 4.12)."""

from __future__ import annotations

from services.rules.engine import market
from services.rules.engine.board import lays
from services.rules.titles.g1867 import loans, mergers

from .table import Canada, start_major, start_minor


def table_of_phase_three(*, players: int = 3, options: tuple[str, ...] = ()) -> Canada:
    table = Canada(players, options=options).sell_companies()
    table.game.state.phase = 1
    table.game.title.on_train_event(table.game, "second_batch")
    for player in table.game.state.players:
        player.cash = 1000
    return table


def begin(table: Canada) -> Canada:
    """The merger round begins."""
    table.game.touch()
    table.game.board_changed()
    table.game.start_round("merger", 1)
    return table


def line(table: Canada) -> Canada:
    """Track from Guelph over Berlin to Hamilton and London."""
    rules, state = table.game.title.track_rules, table.game.state
    lays.lay(rules, state, "E17", "621", 2)
    lays.lay(rules, state, "D16", "202", 5)
    lays.lay(rules, state, "C17", "57", 1)
    return table


def listed(table: Canada, kind: str) -> set[str]:
    return {m.get("corporation", "") for m in table.game.moves() if m["type"] == kind}


def two_owners() -> Canada:
    """CS of A and CV of B are connected."""
    table = line(table_of_phase_three())
    start_minor(table, "CS", "A", 65, "E17")
    start_minor(table, "CV", "B", 55, "D16")
    return begin(table)


# --- conversion -------------------------------------------------------------------------------------------------


def test_conversion_keeps_the_price_and_gives_the_president_certificate() -> None:
    table = table_of_phase_three()
    start_minor(table, "CS", "A", 110, "E17").give("CS", "2-0")
    table.company("CS").cash = 70
    table.company("CS").loans = 1
    begin(table)
    table.do("CS", "convert").merge("CS", "GWR")
    major = table.company("GWR")
    assert table.of("GWR") == (70, 110, ["2"])
    assert major.loans == 1
    assert major.holdings["player:A"] == [0]
    assert [token.hex or token.price for token in major.tokens] == ["E17", 20, 40]
    assert table.company("CS").closed
    assert table.acting() == ["A"]
    table.buy("A", "GWR_1").buy("A", "GWR_2").passes("A")
    others = [str(p) for p in table.state.merger.buyers[1:]] if table.state.merger else []
    table.buy(others[0], "GWR_3")
    assert table.acting() == [others[1]]
    table.passes(others[1])
    assert table.game.round.kind == "operating"
    assert table.company("GWR").cash == 70 + 330
    assert not any(player.passed for player in table.game.state.players)


def test_only_minors_on_certain_prices_convert() -> None:
    table = line(table_of_phase_three())
    start_minor(table, "CS", "A", 90, "E17")
    start_minor(table, "CV", "A", 90, "D16")
    begin(table).refused("wrong_action", "CS", "convert")


def test_grid_converts_at_the_cap_only() -> None:
    for cell, possible in (((5, 6), True), ((4, 5), False), ((0, 6), True)):
        table = line(table_of_phase_three(options=("grid_market",)))
        start_minor(table, "CS", "A", 100, "E17")
        start_minor(table, "CV", "A", 90, "D16")
        market.place(table.game.state, table.company("CS"), cell)
        begin(table)
        assert ("convert" in {m["type"] for m in table.game.moves()}) is possible


# --- merging ----------------------------------------------------------------------------------------------------


def test_partners_are_connected_to_any_minor_collected() -> None:
    table = line(table_of_phase_three())
    start_minor(table, "CS", "A", 65, "E17")
    start_minor(table, "CV", "A", 55, "D16")
    start_minor(table, "OP", "B", 50, "C17")
    start_minor(table, "NO", "B", 45, "O7")
    begin(table)
    assert listed(table, "merge") == {"CV"}  # the token in Berlin blocks the way on
    table.refused("not_a_partner", "CS", "merge", corporation="OP")
    table.refused("not_a_partner", "CS", "merge", corporation="NO")
    table.merge("CS", "CV")
    assert listed(table, "merge") == {"OP"}
    table.merge("CS", "OP")
    assert listed(table, "merge") == {m.sym for m in table.game.corporations if m.kind == "major"}
    table.refused("wrong_action", "CS", "pass")
    table.refused("not_a_major", "CS", "merge", corporation="NO")


def test_price_is_highest_and_lowest_together_within_limits() -> None:
    for first, second, price in ((65, 55, 120), (35, 45, 100), (165, 165, 200), (80, 65, 135), (70, 70, 135)):
        table = line(table_of_phase_three())
        start_minor(table, "CS", "A", first, "E17")
        start_minor(table, "CV", "A", second, "D16")
        begin(table)
        acting = table.game.operator.sym
        other = "CV" if acting == "CS" else "CS"
        table.merge(acting, other).merge(acting, "GWR")
        assert table.price("GWR") == price


def test_owner_of_two_presides_and_the_minors_are_gone() -> None:
    table = line(table_of_phase_three())
    start_minor(table, "CS", "A", 65, "E17").give("CS", "2-0")
    start_minor(table, "CV", "A", 55, "D16").give("CV", "2-1")
    table.company("CS").cash, table.company("CV").cash = 80, 60
    begin(table).merge("CS", "CV").merge("CS", "GWR")
    major = table.company("GWR")
    assert table.of("GWR") == (140, 120, ["2", "2"])
    assert major.president == "player:A"
    assert major.holdings == {"player:A": [0], "ipo": [1, 2, 3, 4, 5, 6, 7, 8]}
    assert [token.hex or token.price for token in major.tokens] == ["E17", "D16", 40]


def test_two_owners_start_without_president_and_the_first_buyer_becomes_it() -> None:
    table = two_owners().merge("CS", "CV").merge("CS", "GWR")
    major = table.company("GWR")
    assert major.president is None
    assert major.floated
    assert major.holdings["player:A"] == [8]
    assert major.holdings["player:B"] == [7]
    table.passes("A")
    table.refused("no_president", "B", "pass")
    table.refused("not_on_sale", "B", "buy_shares", shares=["GWR_0"], percent=20)
    table.buy("B", "GWR_1")
    major = table.company("GWR")
    assert major.president == "player:B"
    assert major.holdings["player:B"] == [0]
    assert major.holdings["ipo"] == [2, 3, 4, 5, 6, 7, 1] or set(major.holdings["ipo"]) == {1, 2, 3, 4, 5, 6, 7}
    assert table.player("B").cash == 880


def test_everybody_is_asked_when_the_owners_have_bought() -> None:
    table = two_owners().merge("CS", "CV").merge("CS", "GWR")
    table.buy("A", "GWR_1").passes("A").passes("B")
    asked = [table.acting()[0]]
    assert table.state.merger is not None
    assert not table.state.merger.owners_only
    assert table.state.merger.buyers[0] == "A"
    assert asked == ["A"]  # also the president again


def test_who_ended_the_owners_purchases_is_not_asked_again_at_once() -> None:
    table = line(table_of_phase_three())
    start_minor(table, "CS", "A", 65, "E17")
    start_minor(table, "CV", "A", 55, "D16")
    begin(table).merge("CS", "CV").merge("CS", "GWR")
    table.passes("A")
    assert table.state.merger is not None
    assert "A" not in table.state.merger.buyers
    assert table.acting() != ["A"]


def test_merger_in_which_nobody_can_preside_is_refused() -> None:
    table = line(table_of_phase_three())
    start_minor(table, "CS", "A", 65, "E17")
    start_minor(table, "CV", "B", 55, "D16")
    for player in table.game.state.players:
        player.cash = 100
    begin(table)
    assert table.game.round.kind == "merger"
    assert listed(table, "merge") == set()
    table.refused("no_president", "CS", "merge", corporation="CV")


def test_no_minor_is_collected_that_leads_nowhere() -> None:
    """CV of poor B is only a way to the second minor of A."""
    table = line(table_of_phase_three())
    start_minor(table, "CS", "A", 65, "E17")
    start_minor(table, "CV", "B", 55, "D16")
    start_minor(table, "OP", "A", 50, "C17")
    for player in table.game.state.players:
        player.cash = 10
    begin(table)
    assert listed(table, "merge") == {"CV"}
    table.merge("CS", "CV")
    table.refused("no_president", "CS", "pass")
    table.merge("CS", "OP").merge("CS", "GWR")
    assert table.company("GWR").president == "player:A"


def test_an_owner_brings_six_minors_at_most() -> None:
    table = table_of_phase_three()
    for sym, hex_id in zip(
        ("BO", "CS", "CV", "KP", "OP", "TN", "AE"), ("M9", "D8", "F8", "E13", "E15", "C17", "I15"), strict=True
    ):
        start_minor(table, sym, "A", 50, hex_id)
    begin(table)
    six = ["BO", "CS", "CV", "KP", "OP", "TN"]
    assert mergers.partners(table.game, six) == []


def test_minor_without_partner_passes_by_itself() -> None:
    table = table_of_phase_three()
    start_minor(table, "CS", "A", 65, "E17")
    start_minor(table, "NO", "B", 110, "O7")
    begin(table)
    assert table.game.operator.sym == "NO"  # it may convert
    table.passes("NO")
    assert table.game.round.kind == "operating"


def test_running_major_is_no_target() -> None:
    table = line(table_of_phase_three())
    start_major(table, "GWR", "C", 100)
    start_minor(table, "CS", "A", 65, "E17")
    start_minor(table, "CV", "A", 55, "D16")
    begin(table).merge("CS", "CV").refused("not_a_major", "CS", "merge", corporation="GWR")


def test_without_a_major_left_minors_are_not_asked() -> None:
    table = line(table_of_phase_three())
    for number, sym in enumerate(("CNR", "CPR", "C&O", "GTR", "GWR", "ICR", "NTR", "NYC")):
        start_major(table, sym, "ABC"[number % 3], 100)
    start_minor(table, "CS", "A", 110, "E17")
    table.game.touch()
    table.game.start_round("merger", 1)
    assert table.game.round.finished


def test_standing_order_passes_for_the_minors_it_names() -> None:
    table = table_of_phase_three()
    start_minor(table, "CS", "A", 120, "E17")
    start_minor(table, "NO", "A", 110, "O7")
    begin(table)
    table.do("A", "program_merger_pass", corporations_by_round={"MR": ["CS"]}, options=[])
    assert table.game.operator.sym == "NO"


def test_standing_order_stops_when_others_merge() -> None:
    table = table_of_phase_three()
    start_minor(table, "CS", "B", 120, "E17")
    start_minor(table, "NO", "A", 110, "O7")
    begin(table)
    table.do("A", "program_merger_pass", corporations_by_round={"MR": ["NO"]}, options=["disable_others"])
    table.do("B", "program_merger_pass", corporations_by_round={"MR": []}, options=[])
    table.do("CS", "convert").merge("CS", "GWR")
    while table.step() == "merger_shares":
        table.passes(str(table.acting()[0]))
    assert table.game.operator.sym == "NO"
    assert table.player("A").program is None


# --- tokens and trains ------------------------------------------------------------------------------------------


def three_cities() -> Canada:
    table = line(table_of_phase_three())
    start_minor(table, "CS", "A", 65, "E17")
    start_minor(table, "CV", "A", 60, "D16")
    start_minor(table, "OP", "A", 55, "C17")
    begin(table).merge("CS", "CV").merge("CS", "OP").merge("CS", "GWR")
    return table


def test_three_tokens_are_reduced_to_two() -> None:
    table = three_cities()
    assert table.step() == "reduce_tokens"
    table.refused("not_its_token", "GWR", "remove_token", city="E13-2-0", slot=0)
    assert {m["city"] for m in table.game.moves()} == {"621-0-0", "202-0-0", "57-0-0"}
    table.do("GWR", "remove_token", city="202-0-0", slot=0)
    assert [token.hex or token.price for token in table.company("GWR").tokens] == ["E17", "C17", 40]
    assert table.step() == "merger_shares"


def test_two_minors_in_one_city_leave_one_token() -> None:
    """The 0-token is used, the next costs 20."""
    table = table_of_phase_three()
    rules, state = table.game.title.track_rules, table.game.state
    lays.lay(rules, state, "C17", "6", 0)
    lays.lay(rules, state, "C17", "14", 0)
    start_minor(table, "CS", "A", 65, "C17")
    start_minor(table, "CV", "A", 60, "C17")
    begin(table).merge("CS", "CV").merge("CS", "GWR")
    assert [token.hex or token.price for token in table.company("GWR").tokens] == ["C17", 20, 40]
    assert table.game.state.board["C17"].cities[0].slots.count("GWR") == 1


def test_two_tokens_in_one_hex_keep_their_place_on_the_charter() -> None:
    """Removing the one on the 0-token leaves it for later: the next token is free (1867 4.12)."""
    table = table_of_phase_three()
    rules, state = table.game.title.track_rules, table.game.state
    lays.lay(rules, state, "L10", "4", 0)
    start_minor(table, "CS", "A", 65, "L12", 0)
    start_minor(table, "CV", "A", 60, "L12", 1)
    merger = begin(table)
    mergers_of_two = merger.state.merger
    assert mergers_of_two is not None
    mergers_of_two.collected, mergers_of_two.target_wanted = ["CS", "CV"], True
    table.merge("CS", "GWR")
    assert table.step() == "reduce_tokens"
    table.do("GWR", "remove_token", city="L12-0-0", slot=0)
    assert [token.hex or token.price for token in table.company("GWR").tokens] == ["L12", 0, 40]


def test_tokens_may_not_all_stay_in_one_hex() -> None:
    table = table_of_phase_three()
    start_minor(table, "CS", "A", 65, "L12", 0)
    start_minor(table, "CV", "A", 60, "L12", 1)
    start_minor(table, "NO", "A", 55, "O7")
    begin(table)
    assert table.state.merger is not None
    table.state.merger.collected, table.state.merger.target_wanted = ["CS", "CV", "NO"], True
    table.merge("CS", "GWR")
    table.refused("one_hex_left", "GWR", "remove_token", city="O7-2-0", slot=0)
    table.do("GWR", "remove_token", city="L12-0-0", slot=0)
    assert table.step() == "merger_shares"


def test_trains_beyond_the_limit_are_discarded_after_the_purchases() -> None:
    table = line(table_of_phase_three())
    for number, (sym, hex_id) in enumerate((("CS", "E17"), ("CV", "D16"), ("OP", "C17"))):
        start_minor(table, sym, "A", 65 - 5 * number, hex_id).give(sym, f"2-{2 * number}")
        if number < 2:
            table.give(sym, f"2-{2 * number + 1}")
    begin(table).merge("CS", "CV").merge("CS", "OP").merge("CS", "GWR")
    table.do("GWR", "remove_token", city="202-0-0", slot=0)
    assert table.step() == "merger_shares"
    table.buy("A", "GWR_1").passes("A")
    while table.step() == "merger_shares":
        table.passes(str(table.acting()[0]))
    assert table.step() == "discard_train"
    assert table.company("GWR").trains == ["2-0", "2-1", "2-2", "2-3", "2-4"]
    table.refused("not_its_train", "GWR", "discard_train", train="2-7")
    table.do("GWR", "discard_train", train="2-4")
    assert table.game.state.depot.discarded == ["2-4"]
    assert table.game.round.kind == "operating"


def test_merged_loans_may_exceed_the_limit_and_lower_what_can_be_raised() -> None:
    table = table_of_phase_three()
    start_major(table, "GWR", "A")
    major = table.company("GWR")
    major.loans, major.cash = 7, 200
    assert loans.full(table.game, major) == 110
