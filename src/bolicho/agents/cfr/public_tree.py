"""Construction of public trees for `compiled.vector`."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled.vector import DECISION, EDGE, LINK, NODE, Learned, Room, Tree

Links = NDArray[np.int64] | None
"""Rows of (holding, choice, holding afterwards); None: the holding stays the same."""


class Layout:
    """Offsets of information sets in a block, by key; nodes with one key share their information sets."""

    def __init__(self) -> None:
        self.places: dict[tuple[int, ...], tuple[int, int, int]] = {}  # offset, choices, rows
        self.size = 0

    def offset(self, key: tuple[int, ...], choices: int, rows: int) -> int:
        """Return the offset of a situation, laid if new."""
        if key not in self.places:
            self.places[key] = self.size, choices, rows
            self.size += choices * rows if choices > 1 else 0
        assert self.places[key][1:] == (choices, rows), "nodes of one key have different choices"
        return self.places[key][0]

    def situations(self) -> list[tuple[tuple[int, ...], tuple[int, int, int]]]:
        """Return situations with more than one choice, by key: offset, choices, rows."""
        return sorted((key, place) for key, place in self.places.items() if place[1] > 1)


class Builder:
    """Trees of one level in the making. Children are added after their parents."""

    def __init__(self) -> None:
        self.layouts: list[Layout] = []  # by tree
        self._nodes: list[dict[str, Any]] = []
        self._edges: list[list[tuple[int, int, Links, Links]]] = []
        self._begin: list[int] = []
        self._links: list[NDArray[np.int64]] = []
        self._place: dict[int, tuple[int, int]] = {}

    def tree(self, layout: Layout | None = None) -> int:
        """Begin a tree; return its number."""
        self._begin.append(len(self._nodes))
        self.layouts.append(layout or Layout())
        return len(self._begin) - 1

    def decision(self, actor: int, choices: int, rows: tuple[int, int], key: tuple[int, ...] = ()) -> int:
        """Add a decision; without a `key` it has information sets of its own."""
        offset = self.layouts[-1].offset(key or (len(self._nodes),), choices, rows[actor])
        return self._node(kind=DECISION, actor=actor, choices=choices, rows=rows, offset=offset)

    def actor(self, node: int) -> int:
        """Return the seat that acts at a decision."""
        return int(self._nodes[node]["actor"])

    def leaf(self, kind: int, rows: tuple[int, int], *facts: int) -> int:
        """Add a leaf of a game's own kind."""
        return self._node(kind=kind, rows=rows, facts=facts)

    def _node(self, **fields: Any) -> int:
        self._nodes.append(fields)
        self._edges.append([])
        return len(self._nodes) - 1

    def edge(self, parent: int, child: int, choice: int, links: tuple[Links, Links] = (None, None)) -> None:
        """Connect a decision with a child; `links` by seat."""
        self._edges[parent].append((child, choice, *links))

    def finish(self) -> tuple[Tree, Room]:
        """Return all trees and their work arrays."""
        nodes, begin = np.zeros(len(self._nodes), NODE), [*self._begin, len(self._nodes)]
        widest = [max(each["rows"][seat] for each in self._nodes) for seat in range(2)]
        most, most_work = sum(widest), 0
        for first, end in pairwise(begin):
            at, work = sum(widest), 0  # all leaves share the vectors at the beginning
            for node, fields in zip(nodes[first:end], self._nodes[first:end], strict=True):
                rows = fields["rows"]
                node["kind"], node["rows"] = fields["kind"], rows
                facts = fields.get("facts", ())
                node["facts"][: len(facts)] = facts
                node["at"] = 0, widest[0]
                if fields["kind"] == DECISION:
                    node["actor"], node["choices"], node["offset"] = (
                        fields["actor"],
                        fields["choices"],
                        fields["offset"],
                    )
                    node["at"], node["work"] = (at, at + rows[0]), work
                    at, work = at + sum(rows), work + fields["choices"] * rows[fields["actor"]]
            most, most_work = max(most, at), max(most_work, work)
        edges = self._finish_edges(nodes)
        links = np.zeros(sum(map(len, self._links)), LINK)
        for column, name in enumerate(LINK.names or ()):
            links[name] = np.concatenate([rows[:, column] for rows in self._links] or [np.zeros(0, np.int64)])
        tree = Tree(np.array(begin), np.array([each.size for each in self.layouts]), nodes, edges, links)
        return tree, Room(
            reach=np.zeros(most, np.float32),
            value=np.zeros(most, np.float32),
            share=np.zeros(most_work, np.float32),
            worth=np.zeros(most_work, np.float32),
            live=np.zeros(len(nodes), np.int8),
            weight=np.zeros(len(edges), np.float32),
            held=np.ones((2, max(widest)), np.float32),
        )

    def _finish_edges(self, nodes: NDArray[Any]) -> NDArray[Any]:
        edges, count = np.zeros(sum(map(len, self._edges)), EDGE), 0
        for node, own in zip(nodes, self._edges, strict=True):
            node["edges"] = count, count + len(own)
            for child, choice, *links in own:
                edges[count]["child"], edges[count]["choice"] = child, choice
                edges[count]["links"] = [self._linked(each) for each in links]
                count += 1
        return edges

    def _linked(self, links: Links) -> tuple[int, int]:
        """Return the first and the end of links in the common array, where links that recur are kept once."""
        if links is None:
            return 0, 0
        if id(links) not in self._place:
            first = sum(map(len, self._links)) + (not self._links)
            if not self._links:
                self._links.append(np.zeros((1, 3), np.int64))  # so that no links end at 0
            self._links.append(links)
            self._place[id(links)] = first, first + len(links)
        return self._place[id(links)]


def untrained(size: int, predictive: bool = False) -> Learned:
    """Return empty regrets."""
    regret, average, predicted = (np.zeros(n, np.float32) for n in (size, size, size * predictive))
    return Learned(regret, average, predicted, np.zeros(1, np.int64))
