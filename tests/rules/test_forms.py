"""The form of a result offers what the rules take of a result, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.houses import houses
from trull import RulesError, Variant, replay
from trull.announcements import SILENT
from trull.events import CONTRA_LEVELS, CONTRACTS, STAGES, STAKES, ReportedBonus, ResultReported
from trull.forms import AMONG, KINDS, WAYS, ContractForm, Field
from trull.variants import VARIANTS

TAROCK = [variant for variant in VARIANTS.values() if variant.game.by_difference]
TAROT = [variant for variant in VARIANTS.values() if not variant.game.by_difference]
DECLARER, DEFENDER = 0, 1


def forms(variant: Variant) -> dict[str, ContractForm]:
    return {form.contract: form for form in variant.game.result_form(variant)}


def field(fields: list[Field], name: str) -> Any:
    found = [one for one in fields if one["name"] == name]
    return found[0] if found else None


def values(fields: list[Field], name: str) -> list[Any]:
    """The values of a choice; none where it is not asked for."""
    found = field(fields, name)
    return [one["value"] for one in found["choices"]] if found else []


def refused_at(variant: Variant, result: ResultReported) -> tuple[Any, ...] | None:
    """Where a result has its fault, or None."""
    try:
        replay(variant, [result])
    except RulesError as error:
        return error.path
    return None


def offered_bonuses(form: ContractForm) -> Iterator[tuple[str, str, int, bool, str]]:
    """Every bonus that can be entered: id, stage, seat, whether it was made, contra."""
    for bonus, ways in form.bonuses:
        for way in ways:
            seats = {"declarer": [DECLARER], "anyone": [DECLARER, DEFENDER]}
            for seat, made, contra in product(
                seats[str(field(way.fields, "player")["among"])],
                values(way.fields, "made") or [way.says["made"]],
                values(way.fields, "contra") or ["none"],
            ):
                yield bonus, str(way.says["stage"]), seat, made, contra


def accepted_bonuses(variant: Variant, contract: str) -> Iterator[tuple[str, str, int, bool, str]]:
    """Every bonus that the rules take for itself, whatever the card points have to be."""
    for bonus, stage, seat, made, contra in product(
        variant.bonuses, (*STAGES, SILENT), (DECLARER, DEFENDER), (True, False), CONTRA_LEVELS
    ):
        claim = ReportedBonus(bonus, seat, stage, made, contra)
        for points in (0, 35, 45, 70):
            result = ResultReported(DECLARER, contract, half_points=2 * points, bonuses=(claim,))
            if refused_at(variant, result) is None:
                yield bonus, stage, seat, made, contra
                break


def check_tarock(variant: Variant) -> None:
    for contract, form in forms(variant).items():
        if contract == "trischaken":
            continue
        row = variant.contracts[contract]
        accepted = set(accepted_bonuses(variant, contract))
        if not row.exchange:  # there both stages are the same, and one of them is asked for
            ruled = (variant.rulings["solo_stage"], SILENT)
            accepted = {one for one in accepted if one[1] in ruled}
        # What fails silently says nothing, but for the Pagat; of that one, the form leaves one refusal to
        # the rules: a defender who makes it where only the declarer may.
        accepted = {one for one in accepted if one[1] != SILENT or one[3] or one[0] == "pagat"}
        offered = set(offered_bonuses(form))
        assert accepted <= offered
        assert {one[0] for one in offered - accepted} <= {"pagat"}
        assert {one[1] for one in offered - accepted} <= {SILENT}
        check_game(variant, contract, form)


def check_game(variant: Variant, contract: str, form: ContractForm) -> None:
    """Stakes and contras to the game."""
    points = 80
    stakes = [stake for stake in STAKES if stake in variant.contracts[contract].stakes]
    assert set(values(form.fields, "stake") or stakes) == set(stakes)
    for stake in stakes:
        result = ResultReported(DECLARER, contract, stake=stake, half_points=points)
        assert refused_at(variant, result) is None
    asked = values(form.fields, "contra") or [{"level": "none"}]
    offered = {(one["level"], one.get("stage")) for one in asked}
    accepted = {
        (level, stage if level != "none" else None)
        for level, stage in product(CONTRA_LEVELS, (*STAGES, None))
        if refused_at(
            variant,
            ResultReported(DECLARER, contract, half_points=points, contra_level=level, contra_stage=stage),
        )
        is None
    }
    if not variant.contracts[contract].exchange:
        accepted = {(level, stage) for level, stage in accepted if stage is None}
    assert offered == accepted


@pytest.mark.parametrize("variant", TAROCK, ids=lambda variant: variant.id)
def test_tarock_is_offered_as_it_is_taken(variant: Variant) -> None:
    assert ("trischaken" in forms(variant)) == (variant.rulings["pass_out"] == "trischaken")
    assert [contract for contract in forms(variant) if contract != "trischaken"] == list(variant.contracts)
    check_tarock(variant)


@settings(max_examples=3)
@given(st.sampled_from(TAROCK).flatmap(houses))
def test_house_rules_too(variant: Variant) -> None:
    check_tarock(variant)


@pytest.mark.parametrize("variant", TAROT, ids=lambda variant: variant.id)
def test_tarot_is_offered_as_it_is_taken(variant: Variant) -> None:
    for contract, form in forms(variant).items():
        assert values(form.fields, "oudlers") == [0, 1, 2, 3]
        partner = DEFENDER if field(form.fields, "partner") else None
        assert (partner is not None) == (variant.players == 5)
        for halves in range(183):
            taken = any(
                refused_at(
                    variant,
                    ResultReported(DECLARER, contract, half_points=halves, oudlers=oudlers, partner=partner),
                )
                is None
                for oudlers in range(4)
            )
            points = field(form.fields, "card_points")
            assert taken == ((halves / 2) % points["step"] == 0), halves
        for bonus in tarot_bonuses(form):
            for halves, oudlers in ((182, 3), (174, 2), (0, 0), (100, 2)):
                result = ResultReported(
                    DECLARER, contract, half_points=halves, oudlers=oudlers, partner=partner, bonuses=(bonus,)
                )
                if refused_at(variant, result) is None:
                    break
            else:
                raise AssertionError(bonus)


def tarot_bonuses(form: ContractForm) -> Iterator[ReportedBonus]:
    """Every bonus that the form can enter."""
    for bonus, ways in form.bonuses:
        for way in ways:
            among = (field(way.fields, "player") or {"among": None})["among"]
            whom: dict[Any, list[int | None]] = {"anyone": [0, 1, 2], "defenders": [2], None: [None]}
            for seat, size, made in product(
                whom[among], values(way.fields, "size") or [None], values(way.fields, "made") or [None]
            ):
                said = {"made": made} if made is not None else {}
                yield ReportedBonus(bonus, seat, size=size, **{**way.says, **said})


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.id)
def test_kinds_are_known(variant: Variant) -> None:
    for contract, form in forms(variant).items():
        assert contract in CONTRACTS
        assert form.as_dict()["contract"] == contract
        ways = [way for _, several in form.bonuses for way in several]
        assert {way.way for way in ways} <= set(WAYS)
        for one in [*form.fields, *(own for way in ways for own in way.fields)]:
            assert one["kind"] in KINDS
            assert one.get("among", "anyone") in AMONG
