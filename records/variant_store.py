"""House-rule variants in the log: made once, never changed, each tenant's its own.

A variant is a stream of one entry, which holds what was written to make it. The rows and rulings are
made of that anew in each process, so that its revision follows the code like that of a built-in one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import orjson
import redis

from records.codec import UnknownSchema
from records.faults import INVALID_RECORD, Fault, InvalidRecord, shown
from records.house_schemas import HouseRules, is_house_id, load_house
from records.limits import MAX_HOUSE_DEPTH
from records.log import Append, StoredStream, StoreUnavailable, Stream, VersionMismatch
from records.redis_log import RedisLog
from trull import Variant
from trull.variants import VARIANTS

KIND: Final = "variant"
"""The kind of a variant's stream."""

_SCHEMA: Final = 1
_MOST_CACHED: Final = 1_000


class VariantExists(Exception):
    """The id is taken by a variant of other content."""

    def __init__(self, variant_id: str) -> None:
        super().__init__(f"variant {variant_id} exists, and was made of something else")
        self.variant_id = variant_id


class VariantStore:
    """The house-rule variants of all tenants. Makes no connection before it is used; threads may share it."""

    def __init__(self, client: redis.Redis) -> None:
        self._log = RedisLog(client)
        self._cached: dict[Stream, HouseRules] = {}

    def of(self, tenant: str) -> Variants:
        """The variants that a tenant's records may name."""
        return self.seen_by(lambda: tenant)

    def seen_by(self, owner: Callable[[], str]) -> Variants:
        """The same; whose they are is asked when one is named that is not built in."""
        return Variants(self, owner)

    def load(self, tenant: str, data: object) -> HouseRules:
        """The house rules of a parsed body. Raises `InvalidRecord` with every fault, `StoreUnavailable`."""
        rules = load_house(data, self.of(tenant))
        if self._depth(tenant, rules) > MAX_HOUSE_DEPTH:
            detail = (
                f"{shown(rules.base)} is a house-rule variant of a house-rule variant, and so on: "
                f"at most {MAX_HOUSE_DEPTH} may build on each other."
            )
            raise InvalidRecord([Fault("/base", INVALID_RECORD, detail)])
        return rules

    def make(self, tenant: str, actor: str, rules: HouseRules) -> bool:
        """Keep a variant; whether it is new. The same one once more changes nothing.

        Raises `VariantExists`, `StoreUnavailable`.
        """
        stream = Stream(KIND, tenant, rules.variant.id)
        append = Append(bytes((_SCHEMA,)) + orjson.dumps([actor, rules.as_dict()]), 1)
        try:
            self._create(stream, append)
        except VersionMismatch as taken:
            there = self.house(tenant, stream.id)
            if there is None or there.as_dict() != rules.as_dict():
                raise VariantExists(stream.id) from taken
            return False
        return True

    def house(self, tenant: str, variant_id: str) -> HouseRules | None:
        """The house rules of that id. Raises `StoreUnavailable`."""
        stream = Stream(KIND, tenant, variant_id)
        known = self._cached.get(stream)
        # What is no such id cannot be there; and what is there never changes.
        if known is None and is_house_id(variant_id):
            found = self._log.read(stream)
            if found is not None:
                known = self._read(found)
                if len(self._cached) >= _MOST_CACHED:
                    self._cached.clear()
                self._cached[stream] = known
        return known

    def all(self, tenant: str) -> Iterator[HouseRules]:
        """All house rules of a tenant, each after those that it builds on. Raises `StoreUnavailable`."""
        told: set[str] = set()
        for name in sorted(self.ids(tenant)):
            upwards = []
            rules = self.house(tenant, name)
            while rules is not None and rules.variant.id not in told:
                told.add(rules.variant.id)
                upwards.append(rules)
                rules = self.house(tenant, rules.base)
            yield from reversed(upwards)

    def ids(self, tenant: str) -> list[str]:
        """The ids of all house-rule variants of a tenant, in no order. Raises `StoreUnavailable`."""
        return [id_ for ids in self._log.ids(KIND, tenant) for id_ in ids]

    def _create(self, stream: Stream, append: Append) -> None:
        try:
            self._log.append(stream, 0, append)
        except StoreUnavailable:
            # Perhaps only the answer was lost: then this writes nothing, and the variant is there.
            self._log.append(stream, 0, append)

    def _depth(self, tenant: str, rules: HouseRules) -> int:
        """How many house-rule variants there are from this one down to a built-in one."""
        depth = 1
        below = self.house(tenant, rules.base)
        while below is not None:
            depth += 1
            below = self.house(tenant, below.base)
        return depth

    def _read(self, found: StoredStream) -> HouseRules:
        body = found.entries[0].body
        if body[0] != _SCHEMA:
            raise UnknownSchema(f"{found.stream}: a variant of schema {body[0]}, which is a later one")
        _, written = orjson.loads(body[1:])
        try:
            return load_house(written, self.of(found.stream.tenant))
        except InvalidRecord as error:
            # It had no fault when it was made.
            raise UnknownSchema(f"{found.stream}: no variant of this version: {error}") from error


class Variants(Mapping[str, Variant]):
    """The variants of a tenant by id: the built-in ones, and those of its house.

    Only the built-in ones are counted and gone through; a house's are found by their id. Looking for one that
    is not known yet asks the store, and raises `StoreUnavailable` where that is away.
    """

    def __init__(self, store: VariantStore, owner: Callable[[], str]) -> None:
        self._store = store
        self._owner = owner

    def __getitem__(self, name: str) -> Variant:
        built_in = VARIANTS.get(name)
        if built_in is not None:
            return built_in
        rules = self._house(name)
        if rules is None:
            raise KeyError(name)
        return rules.variant

    def __iter__(self) -> Iterator[str]:
        return iter(VARIANTS)

    def __len__(self) -> int:
        return len(VARIANTS)

    def overrides(self, name: str) -> dict[str, Any] | None:
        """What was written to make a house-rule variant; None of any other id."""
        rules = self._house(name)
        return None if rules is None else rules.as_dict()

    def _house(self, name: str) -> HouseRules | None:
        """The house rules of that id; whose, is only asked where there could be some."""
        return self._store.house(self._owner(), name) if is_house_id(name) else None
