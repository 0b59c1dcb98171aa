"""A Redis Cluster of three nodes on the loopback address."""

from __future__ import annotations

import contextlib
import socket
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import redis

from records.redis_client import connect
from tests.support.processes import RedisServer, wait_until

SLOTS: Final = 16_384
_BUS: Final = 10_000
"""A node's second port, for the other nodes, is so far above its first: 6.2 knows no other."""


class ClusterNodeServer(RedisServer):
    """A redis-server as `make run` sets it up, and as a node of a cluster. It may have data already."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        super().__init__(folder)
        port = _port_with_bus()
        config = folder / "redis.conf"
        lines = config.read_text().replace(f"port {self.access.port}\n", f"port {port}\n")
        self.access = replace(self.access, port=port)
        config.write_text(
            f"{lines}cluster-enabled yes\ncluster-node-timeout 2000\nmasterauth {self.access.password}\n"
        )

    def ask(self, *words: str | int) -> Any:
        """Carry out a command."""
        with self.client() as client:
            return client.execute_command(*words)

    @property
    def node_id(self) -> str:
        """Its name in the cluster."""
        return str(self.ask("CLUSTER MYID").decode())


class ThreeNodes:
    """The cluster: a third of the slots is on each node, and there are no replicas.

    Or the first has all of them, as where a single Redis with ``data`` becomes a cluster.
    """

    def __init__(self, folder: Path, data: Path | None = None) -> None:
        self.nodes = [ClusterNodeServer(folder / f"node-{number}") for number in range(3)]
        self._grows = data is not None
        if data is not None:
            self.nodes[0] = ClusterNodeServer(data)

    @property
    def url(self) -> str:
        """The URL that the service takes."""
        hosts = ",".join(f"127.0.0.1:{node.access.port}" for node in self.nodes)
        return f"redis+cluster://:{self.nodes[0].access.password}@{hosts}"

    def client(self) -> redis.Redis:
        """A client as the service has it."""
        return connect(self.url, timeout=10)

    def __enter__(self) -> Self:
        try:
            for node in self.nodes:
                node.start()
            self._join()
            wait_until(self.is_whole, "the cluster")
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        for node in self.nodes:
            node.stop()

    def _join(self) -> None:
        first = self.nodes[0].access.port
        for number, node in enumerate(self.nodes):
            slots = set(range(SLOTS * number // 3, SLOTS * (number + 1) // 3))
            if self._grows:
                # The others get an empty slot: redis-py cannot follow an ASK to a node that has none.
                slots = self._without_data() if number == 0 else {number}
            if slots:
                node.ask("CLUSTER ADDSLOTS", *slots)
            node.ask("CLUSTER SET-CONFIG-EPOCH", number + 1)
            if number:
                node.ask("CLUSTER MEET", "127.0.0.1", first)

    def _without_data(self) -> set[int]:
        """The slots that the first node still has to take. On its start it took those of its keys."""
        spans: list[Any] = self.nodes[0].ask("CLUSTER SLOTS")
        return (
            set(range(SLOTS)) - {slot for begin, end, *_ in spans for slot in range(begin, end + 1)} - {1, 2}
        )

    def move(self, slot: int, source: ClusterNodeServer, target: ClusterNodeServer) -> None:
        """Move a slot from node to node, as ``redis-cli --cluster reshard`` does."""
        target.ask("CLUSTER SETSLOT", slot, "IMPORTING", source.node_id)
        source.ask("CLUSTER SETSLOT", slot, "MIGRATING", target.node_id)
        to = ("127.0.0.1", target.access.port, "", 0, 5000, "AUTH", target.access.password, "KEYS")
        while keys := source.ask("CLUSTER GETKEYSINSLOT", slot, 10):
            source.ask("MIGRATE", *to, *keys)
        for node in (target, source, *self.nodes):
            node.ask("CLUSTER SETSLOT", slot, "NODE", target.node_id)

    def is_whole(self) -> bool:
        """Whether every node knows all others, and serves."""
        for node in self.nodes:
            told = node.ask("CLUSTER INFO")
            if told.get("cluster_state") != "ok" or told.get("cluster_known_nodes") != "3":
                return False
        return True

    def flush(self) -> None:
        """Empty all nodes."""
        for node in self.nodes:
            with node.client() as client:
                client.flushall()


def _port_with_bus() -> int:
    """A port of which the second one is free too."""
    while True:
        with socket.socket() as probe, socket.socket() as bus, contextlib.suppress(OSError, OverflowError):
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
            bus.bind(("127.0.0.1", port + _BUS))
            return port
        with socket.socket() as probe, socket.socket() as bus, contextlib.suppress(OSError, OverflowError):
            bus.bind(("127.0.0.1", 0))
            taken: int = bus.getsockname()[1]
            probe.bind(("127.0.0.1", taken - _BUS))
            return taken - _BUS
