"""`handcompact report`: the whole inspection as plain lines or JSON; the screen-reader's way in."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from app.cli.arguments import add_folder, is_folder
from app.cli.command import DONE, add_count, add_file, add_json, add_pipeline, open_for_work
from app.cli.output import columns, notice_lines, progress, say, say_json
from app.display import human_bytes, human_number, one_line, percent
from app.model import preview_of
from app.views.report import live_rows, report, secret_notices, sent_unit
from app.work.workspace import Workspace


class Report:
    """Shows what a session holds, block by block, and where its tokens are."""

    name = "report"
    summary = "show what a session (or a folder of them) contains and where its tokens go"

    def configure(self, parser: ArgumentParser) -> None:
        add_file(parser)
        add_count(parser)
        add_pipeline(parser)
        parser.add_argument("--top", type=int, metavar="N", help="show only the N largest blocks or sessions")
        add_folder(parser)
        add_json(parser)

    def run(self, args: Namespace) -> int:
        if is_folder(args.file):
            # Imported here: one session needs no other processes.
            from app.cli.folders import report_folder

            return report_folder(args)
        workspace = open_for_work(args).workspace
        workspace.examine(progress)
        if args.json:
            say_json(report(workspace))
        else:
            say(*_lines(workspace, args.top))
        return DONE


def _lines(workspace: Workspace, top: int | None) -> list[str]:
    session, facts = workspace.session, workspace.session.facts
    live = workspace.tokens(session.live)
    lines = [
        f"{session.name}  ({session.format})",
        *([f"title     {session.title}"] if session.title else []),
        *([f"model     {session.model}"] if session.model else []),
        f"records   {human_number(facts.records)}, {sent_unit(session)} {human_number(facts.messages)},"
        f" boundaries {len(session.boundaries)}, branches {facts.branches}",
        f"tokens    ~{human_number(live)} of {human_number(workspace.window_tokens)}"
        f" ({percent(live, workspace.window_tokens)}), {workspace.estimator.describe()}",
    ]
    if session.last_usage:
        now = session.last_usage.context + session.last_usage.output_tokens
        lines.append(f"reported  {human_number(now)} by the newest reply, system prompt and tools included")
    lines.append(f"usage     {workspace.calibration.told()}")
    if facts.hidden_bytes:
        lines.append(f"hidden    {human_bytes(facts.hidden_bytes)} in records that are never sent")
    lines += _verdict_lines(workspace, live)
    lines += notice_lines([*session.notices, *secret_notices(workspace)])
    return [*lines, "", *_row_lines(workspace, top)]


def _verdict_lines(workspace: Workspace, live: int) -> list[str]:
    sums: dict[str, int] = {}
    for row in live_rows(workspace):
        sums[str(row.verdict)] = sums.get(str(row.verdict), 0) + workspace.block_tokens(row.block)
    ordered = sorted(sums.items(), key=lambda item: -item[1])
    return [
        f"  {verdict:<12} ~{human_number(tokens):>9}  {percent(tokens, live)}" for verdict, tokens in ordered
    ]


def _row_lines(workspace: Workspace, top: int | None) -> list[str]:
    rows = list(workspace.rows)
    if top is not None:
        rows = sorted(rows, key=lambda row: -workspace.block_tokens(row.block))[:top]
    header = ("#", "role", "kind", "~tokens", "verdict", "what", "why")
    table = [header]
    for row in rows:
        what = " ".join(part for part in (row.tool, row.path or preview_of(row.block)) if part)
        verdict = " ".join((str(row.verdict), *row.states))
        tokens = human_number(workspace.block_tokens(row.block))
        number = f"{row.number}.{row.place}"
        table.append(
            (
                number,
                str(row.message.role),
                row.block.kind,
                tokens,
                verdict,
                one_line(what, 60).rstrip(),
                row.reason,
            )
        )
    return columns(table, right=frozenset({3}))
