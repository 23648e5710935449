"""The records of a Qwen Code session file, and the branch that is resumed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from msgspec import Struct, field

from app.errors import InputError
from app.formats.contents.parts import PartReader
from app.formats.lines import UNREADABLE, LineReader
from app.formats.qwen.names import COMMAND, TITLE
from app.formats.qwen.nodes import Content, Node, node_of
from app.formats.source import Source
from app.formats.store import RecordStore, stored
from app.formats.tree import Tree
from app.model import Block, JsonPath, Record, Role, Session, Text
from app.model import Content as TextContent


class Unit(Struct, frozen=True):
    """One content of the conversation: a record's message, or one inside a compression."""

    node: Node
    content: Content | None = None
    sound: bool = True
    """Whether the client accepts it as complete."""

    @property
    def role(self) -> Role:
        return self.node.role if self.content is None else self.content.role

    @property
    def key(self) -> str:
        return self.node.key if self.content is None else self.content.key

    @property
    def blocks(self) -> tuple[Block, ...]:
        return self.node.blocks if self.content is None else self.content.blocks


class Branch(Struct):
    """The records from the root to a leaf, and the contents that are sent for them."""

    path: list[Node]
    units: list[Unit] = field(default_factory=list)
    unsent: list[Unit] = field(default_factory=list)
    """Contents that the client leaves out."""
    compression: Node | None = None


class QwenChat(RecordStore):
    """A record store that also holds the nodes; `Session.records` of this format."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.source = source
        self.nodes: list[Node] = []
        self.title: str | None = None
        self.cwd: str | None = None
        self.chosen = Branch([])
        """The branch on which the session was read."""
        self._reader = PartReader(self)
        self._in_history: dict[int, dict[str, Block]] = {}

    def content(self, record: int, path: JsonPath, value: Any) -> TextContent:
        """The content at `path` of a record; `value` is the value there, from which it is measured."""
        return stored(self, record, path, value)

    def load(self) -> LineReader:
        """Index every row without keeping its value. Call it once."""
        rows = LineReader(self.source)
        seen: set[str] = set()
        for index, row in enumerate(rows):
            value: Any = row.value
            record = value if isinstance(value, dict) else {}
            ident = record.get("uuid")
            key = ident if isinstance(ident, str) and ident and ident not in seen else f"@{row.offset}"
            seen.add(key)
            node = node_of(index, key, record, self._reader)
            kind = "unreadable" if value is UNREADABLE else node.kind
            self.append(Record(index, row.offset, row.length, row.line, kind, key, row.damage))
            self.nodes.append(node)
            if self.cwd is None and isinstance(cwd := record.get("cwd"), str) and cwd:
                self.cwd = cwd
            if node.subtype == TITLE and isinstance(payload := record.get("systemPayload"), dict):
                title = payload.get("customTitle")
                self.title = title if isinstance(title, str) and title else self.title
        return rows

    @cached_property
    def tree(self) -> Tree[Node]:
        """The tree; built once, after the last row has been read. Of equal uuids the first record counts."""
        return Tree(self.nodes, last_wins=False)

    @cached_property
    def fragments(self) -> dict[int, list[Node]]:
        """Record -> later records with its uuid, which the client takes for more of the same message."""
        found: dict[int, list[Node]] = {}
        for node in self.tree.repeated:
            found.setdefault(self.tree.by_id[node.ident or ""].index, []).append(node)
        return found

    def way(self, leaf: str | None) -> Branch:
        """The branch that is sent when the session is resumed from this record (None: from the last one).

        Raises InputError if no record with a message has this key.
        """
        if leaf is None:
            last = next((node.ident for node in reversed(self.nodes) if node.ident is not None), None)
            return self._way(self.tree.walk(self.tree.by_id[last])) if last is not None else Branch([])
        node = next((node for node in self.tree.nodes if node.key == leaf and node.talk), None)
        if node is None:
            name = self.source.name
            raise InputError(f"{name} has no message {leaf!r}: give the uuid of one of its records")
        return self._way(self.tree.walk(node) + self.tree.below(node))

    def strict(self, way: Branch) -> Branch:
        """The same branch as far as the client itself would walk: up to a parent that is not in the file."""
        return self._way(self.tree.walk(way.path[-1], strict=True)) if way.path else way

    def _way(self, path: list[Node]) -> Branch:
        way = Branch(path)
        units: list[Unit] = []
        last: Node | None = None
        for node in path:
            if node.history is not None:
                way.compression = node
                units = [Unit(node, content, content.sound) for content in node.history]
                last = None
            elif node.command is not None and self._is_command(last, node.command):
                way.unsent.append(units.pop())
            if node.subtype == COMMAND and last is not None and last.kind == "user":
                last = None
            if node.talk and node.history is None:
                (units if node.sent else way.unsent).extend(self._units(node))
                last = node if node.sent else last
        way.units = list(self._taken(units, way.unsent))
        return way

    def _is_command(self, last: Node | None, command: str) -> bool:
        """Whether a message holds only the command whose result follows it."""
        if last is None or last.kind != "user" or last.subtype is not None or len(last.blocks) != 1:
            return False
        text = last.blocks[0]
        if not isinstance(text, Text) or last.index in self.fragments:
            return False
        return text.content.chars == len(command) and text.content.read() == command

    def _units(self, node: Node) -> list[Unit]:
        """The records of one message."""
        nodes = [node, *self.fragments.get(node.index, ())]
        sound = all(each.sound for each in nodes) and not all(each.empty for each in nodes)
        return [Unit(each, sound=sound) for each in nodes]

    def _taken(self, units: list[Unit], unsent: list[Unit]) -> Iterator[Unit]:
        """The contents without runs of replies that include an unsound one: the client drops such a run."""
        run: list[Unit] = []
        for unit in (*units, None):
            if unit is not None and unit.role is Role.ASSISTANT:
                run.append(unit)
                continue
            if all(each.sound for each in run):
                yield from run
            else:
                unsent.extend(run)
            run = []
            if unit is not None:
                yield unit

    def original(self, block: Block) -> Block | None:
        """The original block in the file of a block that may have been changed; None for a new one."""
        if block.place is None:
            return None
        node = self.nodes[block.place.record]
        if node.history is None:
            return next((own for own in node.blocks if own.key == block.key), None)
        if node.index not in self._in_history:
            self._in_history[node.index] = {own.key: own for own in node.blocks}
        return self._in_history[node.index].get(block.key)


def chat_of(session: Session) -> QwenChat:
    """The records of a session read by this format; raises TypeError for any other."""
    if not isinstance(session.records, QwenChat):
        raise TypeError(f"a session of {session.format} was not read from a Qwen Code file")
    return session.records
