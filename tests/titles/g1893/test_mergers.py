"""Votes on AGV and HGK and their founding (1893 4.8)."""

from __future__ import annotations

import pytest

from services.rules.titles.g1893 import mergers

from .table import (
    Game,
    act,
    buy,
    do_little,
    drafted,
    floated,
    give_money,
    give_train,
    hand_over,
    hold,
    holdings,
    kinds,
    merger_round,
    passes,
    president,
    price,
    refused,
    set_phase,
    skip_stock_round,
    state_of,
    treasuries,
    turn_of,
    vote,
    where,
)


def ready(phase: str = "4") -> Game:
    """Two players; P1 has EKB, KSZ and BKB, P2 has KFBE and KBE, P1 has the HdSK; a stock round has ended."""
    game = drafted(2)
    hand_over(game, "HdSK", "P1")
    skip_stock_round(game)
    set_phase(game, phase)
    return game


def spread(count: int = 3) -> Game:
    """EKB of P1, KSZ of P2 and BKB of P3; KBE of P2, HdSK of P3, KFBE of P1."""
    game = drafted(count)
    hand_over(game, "HdSK", "P3")
    skip_stock_round(game)
    for sym, player in (("EKB", "P1"), ("KSZ", "P2"), ("BKB", "P3"), ("KBE", "P2"), ("KFBE", "P1")):
        hand_over(game, sym, player)
    set_phase(game, "4")
    return game


def weights(game: Game) -> dict[str, int]:
    found = state_of(game).vote
    assert found is not None
    return found.weights


def test_the_first_four_train_puts_half_of_the_agv_on_sale() -> None:
    game = ready("3")
    turn_of(game, "EKB", "train")
    set_phase(game, "3", first="4")
    game.corporation("EKB").cash = 300
    game.touch()
    act(game, "EKB", "buy_train", train="4-0", price=300, variant="4")
    assert price(game, "AGV") == 120 and game.corporation("AGV").price == (2, 6)
    assert holdings(game, "AGV") == {"ipo": [0, 1, 2], "pool": [3, 4, 5, 6, 7]}
    assert not game.corporation("AGV").floated and game.corporation("AGV").president is None


def test_shares_bought_before_the_founding_cost_120_make_no_president_and_count() -> None:
    game = floated()
    mergers.put_on_sale(game, "AGV")
    give_money(game, "P2", 400)
    game.touch()
    buy(game, "P2", "AGV_3")
    passes(game, "P1")
    buy(game, "P2", "AGV_4")
    assert game.player("P2").cash == 160 and game.corporation("AGV").president is None
    assert refused(game, "P2", "buy_shares", shares=["AGV_2"], percent=20) != ""


def test_votes_follow_the_cards_then_the_shares() -> None:
    game = spread()
    mergers.put_on_sale(game, "AGV")
    hold(game, "AGV", ipo=[0, 1, 2], P3=[3], P2=[4], pool=[5, 6, 7])
    game.corporation("AGV").president = None
    merger_round(game)
    assert list(weights(game).items()) == [("P1", 20), ("P2", 20), ("P3", 30)]
    assert state_of(game).vote.no == 30  # type: ignore[union-attr]
    assert where(game) == "P1:merger_vote" and kinds(game) == {"special_buy"}


def test_a_holder_without_a_card_votes_last() -> None:
    game = ready("5")
    hand_over(game, "KFBE", "P1")
    hand_over(game, "KBE", "P1")
    mergers.put_on_sale(game, "HGK")
    hold(game, "HGK", ipo=[0, 1, 2], P2=[3, 4], pool=[5, 6, 7])
    game.corporation("HGK").president = None
    game.state.player_order = ["P2", "P1"]
    merger_round(game)
    assert list(weights(game).items()) == [("P1", 50), ("P2", 20)]


def test_unsold_shares_vote_no_and_fifty_percent_suffice() -> None:
    game = spread()
    merger_round(game, "AGV")
    assert state_of(game).vote.no == 50  # type: ignore[union-attr]
    for player in ("P1", "P2", "P3"):
        vote(game, player, "yes")
    assert game.corporation("AGV").floated


def test_more_than_fifty_percent_against_reject_at_once() -> None:
    game = spread()
    merger_round(game, "AGV")
    vote(game, "P1", "no")
    assert not game.corporation("AGV").floated and game.round_label() == "OR 1.1"
    assert state_of(game).vote is None


def test_only_yes_and_no_by_the_voter_whose_turn_it_is() -> None:
    game = spread()
    merger_round(game, "AGV")
    assert refused(game, "P1", "special_buy", description="maybe", cost=0) == "not_a_vote"
    assert refused(game, "P2", "special_buy", description="yes", cost=0) == "not_your_turn"


def test_a_founded_agv_takes_over_its_minors() -> None:
    game = ready()
    give_train(game, "BKB", "3-1")
    give_train(game, "EKB", "3-0")
    bank = game.state.bank
    before = sum(treasuries(game, "EKB", "KSZ", "BKB"))
    merger_round(game, "AGV")
    vote(game, "P1", "yes")
    agv = game.corporation("AGV")
    assert agv.cash == 400 + before and game.state.bank == bank - 400
    assert agv.trains == ["3-0", "3-1"], "in the order of the minors"
    assert [token.hex for token in agv.tokens] == ["T3", "P7", "I2", None, None]
    assert [token.price for token in agv.tokens[3:]] == [100, 100]
    assert holdings(game, "AGV") == {"P1": [0, 1, 2], "pool": [3, 4, 5, 6, 7]}
    assert all(game.corporation(sym).closed and game.company(sym).closed for sym in ("EKB", "KSZ", "BKB"))
    assert president(game, "AGV") == "P1" and price(game, "AGV") == 120
    assert where(game) == "AGV:merger_discard"
    passes(game, "AGV")
    assert game.round_label() == "OR 1.1" and "AGV" in [ref.partition(":")[2] for ref in game.round.entities]


def test_trains_may_be_discarded_at_the_founding() -> None:
    game = ready()
    for sym, train_id in (("EKB", "3-0"), ("EKB", "3-1"), ("KSZ", "3-2"), ("BKB", "3-3")):
        give_train(game, sym, train_id)
    merger_round(game, "AGV")
    vote(game, "P1", "yes")
    assert refused(game, "AGV", "pass") == "train_limit", "three trains in phase 4"
    assert refused(game, "AGV", "discard_train", train="5-0") == "not_its_train"
    act(game, "AGV", "discard_train", train="3-0")
    act(game, "AGV", "discard_train", train="3-1")
    assert kinds(game) == {"discard_train", "pass"} and game.state.depot.discarded == ["3-0", "3-1"]
    passes(game, "AGV")
    assert game.round.kind == "operating"


def test_two_trains_in_phase_5() -> None:
    game = ready("5")
    for sym, train_id in (("EKB", "5-0"), ("KSZ", "5-1"), ("BKB", "6-0")):
        give_train(game, sym, train_id)
    merger_round(game, "AGV", forced=("AGV",))
    assert where(game) == "AGV:merger_discard"
    assert refused(game, "AGV", "pass") == "train_limit"


def test_the_five_train_founds_the_agv_at_the_next_merger_round() -> None:
    game = ready("5")
    merger_round(game, "AGV", "HGK", forced=("AGV",))
    assert game.corporation("AGV").floated and not game.corporation("HGK").floated
    assert where(game) == "P2:merger_vote", "and there is a vote on the HGK"


def test_discards_come_before_a_vote_of_the_same_round() -> None:
    game = ready("5")
    give_train(game, "EKB", "5-0")
    merger_round(game, "AGV", "HGK", forced=("AGV",))
    assert where(game) == "AGV:merger_discard"
    passes(game, "AGV")
    assert where(game) == "P2:merger_vote"


def test_both_can_be_founded_by_their_trains_in_one_round() -> None:
    game = ready("6")
    give_train(game, "EKB", "5-0")
    give_train(game, "KBE", "6-0")
    merger_round(game, "AGV", "HGK", forced=("AGV", "HGK"))
    assert where(game) == "AGV:merger_discard"
    passes(game, "AGV")
    assert where(game) == "HGK:merger_discard"
    passes(game, "HGK")
    assert game.round_label() == "OR 1.1"
    assert [token.hex for token in game.corporation("HGK").tokens] == ["J5", "O4", "L3", None, None]


def test_the_hgk_takes_the_hdsk() -> None:
    game = ready("6")
    merger_round(game, "HGK", forced=("HGK",))
    assert holdings(game, "HGK") == {"P2": [0, 2], "P1": [1], "pool": [3, 4, 5, 6, 7]}
    assert game.company("HdSK").closed


def test_without_merger_rounds_once_the_hgk_is_founded() -> None:
    game = ready("6")
    merger_round(game, "AGV", "HGK", forced=("AGV", "HGK"))
    kinds_of_rounds: list[str] = []
    while game.state.turn == 1:
        label = game.round_label()
        if not kinds_of_rounds or kinds_of_rounds[-1] != label:
            kinds_of_rounds.append(label)
        do_little(game)
    assert kinds_of_rounds == ["OR 1.1", "OR 1.2"] and game.round_label() == "SR 2.1"


@pytest.mark.parametrize(
    ("owned", "chosen", "after"),
    [
        ({"P1": [0], "P2": [1, 3]}, "P1", {"P1": [0], "P2": [1, 3]}),
        ({"P1": [0], "P2": [1, 2]}, "P2", {"P1": [2], "P2": [0, 1]}),
        ({"P1": [0], "P2": [2, 3, 4]}, "P2", {"P1": [3, 4], "P2": [0, 2]}),
        ({"P1": [0], "P2": [1, 3, 4]}, "P2", {"P1": [1, 3], "P2": [0, 4]}),
    ],
)
def test_the_largest_holder_presides_and_swaps(
    owned: dict[str, list[int]], chosen: str, after: dict[str, list[int]]
) -> None:
    """The double certificate alone if there are at most two, else the first two single ones (1893 3.5, 4.8)."""
    game = ready()
    mergers.put_on_sale(game, "AGV")
    rest = [i for i in range(8) if i not in (*owned["P1"], *owned["P2"])]
    hold(game, "AGV", **owned, pool=rest)
    mergers._elect(game, game.corporation("AGV"), [game.player("P1"), game.player("P1"), game.player("P2")])
    assert president(game, "AGV") == chosen
    assert {name: holdings(game, "AGV")[name] for name in ("P1", "P2")} == {n: sorted(o) for n, o in after.items()}


def test_a_tie_goes_to_the_order_of_the_cards() -> None:
    game = spread()
    mergers.put_on_sale(game, "AGV")
    hold(game, "AGV", P1=[0], P2=[1, 3, 4], P3=[2, 5], pool=[6, 7])
    owners = [game.player(name) for name in ("P1", "P3", "P2")]
    mergers._elect(game, game.corporation("AGV"), owners)
    assert president(game, "AGV") == "P3"


def test_a_leader_without_a_card_presides() -> None:
    game = spread()
    mergers.put_on_sale(game, "AGV")
    hold(game, "AGV", P1=[0], P2=[3, 4, 5], P3=[1], pool=[2, 6, 7])
    mergers._elect(game, game.corporation("AGV"), [game.player("P1"), game.player("P3"), game.player("P3")])
    assert president(game, "AGV") == "P2"


@pytest.mark.parametrize("forced", [(), ("AGV",)])
def test_an_unsold_card_postpones_vote_and_founding(forced: tuple[str, ...]) -> None:
    game = ready()
    game.player("P1").companies.remove("BKB")
    game.company("BKB").owner = "bank"
    merger_round(game, "AGV", forced=forced)
    assert game.round_label() == "OR 1.1" and not game.corporation("AGV").floated


def test_a_founding_can_break_the_bank() -> None:
    game = ready()
    merger_round(game, "AGV")
    game.state.bank = 399
    vote(game, "P1", "yes")
    assert game.state.bank_broken and game.state.bank < 0 and not game.finished
