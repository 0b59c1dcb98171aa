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
    """A redis-server as `make run` sets it up, and as a node of a cluster."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        super().__init__(folder)
        port = _port_with_bus()
        config = folder / "redis.conf"
        lines = config.read_text().replace(f"port {self.access.port}\n", f"port {port}\n")
        self.access = replace(self.access, port=port)
        config.write_text(
            f"{lines}cluster-enabled yes\ncluster-node-timeout 2000\nmasterauth {self.access.password}\n"
        )


class ThreeNodes:
    """The cluster: a third of the slots is on each node, and there are no replicas."""

    def __init__(self, folder: Path) -> None:
        self.nodes = [ClusterNodeServer(folder / f"node-{number}") for number in range(3)]

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
            slots = range(SLOTS * number // 3, SLOTS * (number + 1) // 3)
            with node.client() as client:
                client.execute_command("CLUSTER ADDSLOTS", *slots)
                client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
                if number:
                    client.execute_command("CLUSTER MEET", "127.0.0.1", first)

    def is_whole(self) -> bool:
        """Whether every node knows all others, and serves."""
        for node in self.nodes:
            with node.client() as client:
                told: Any = client.execute_command("CLUSTER INFO")
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
