"""Sessions that are hard to read, to show or to cut, each with one trait and a small story of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from .calls import Call, Outcome, failed
from .ids import Dice
from .pages import PAGES, some
from .transcript import Transcript, compact
from .workspace import FOLDER, Workspace

START = datetime(2026, 11, 28, 14, 3, 27, 210_000, tzinfo=UTC)


def begin(name: str, branch: str = "main") -> Transcript:
    t = Transcript(name, START, Workspace(), branch=branch)
    t.loose("mode", mode="normal")
    return t


def plain_call(
    name: str, asked: dict[str, Any], answer: str, *, error: bool = False, kind: str = "prose"
) -> Call:
    """A call that gets `answer`, which the agent keeps for itself as well."""
    outcome = failed(answer) if error else Outcome(answer, {"stdout": answer, "stderr": ""}, kind)
    return Call(name, asked, lambda work: outcome)


def show_file(path: str, text: str) -> Call:
    """Read a file that is not one of the repository's."""
    lines = text.split("\n")
    file = {
        "filePath": path,
        "content": text,
        "numLines": len(lines),
        "startLine": 1,
        "totalLines": len(lines),
    }
    shown = "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, 1))
    outcome = Outcome(shown, {"type": "text", "file": file}, "prose")
    return Call("Read", {"file_path": path}, lambda work: outcome)


def finished(t: Transcript) -> bytes:
    return ("\n".join(t.rows) + "\n").encode()


# ---- scripts of the world

NAMES = (
    "王小明", "佐藤 さくら", "김민준", "Nguyễn Thị Hạnh", "Zoe\u0308 Müller", "José Ñandú", "محمد", "שירה",
    "Ελένη", "Жанна", "ปรีชา", "अनन्या", "ﾀﾅｶ ﾀﾛｳ", "Ｗｉｄｅ Ｌｅｔｔｅｒｓ", "Åse", "I\u0307smail",
)  # fmt: skip
SIGNS = (
    "👨‍👩‍👧‍👦", "👩🏽‍🚀", "🏳️‍🌈", "🇨🇭", "🇯🇵🇨🇳", "❤️‍🔥", "👍🏿", "🧑🏻‍🤝‍🧑🏿", "☕️", "🏮", "1️⃣", "©︎",
    "e\u0301\u0302\u0303", "ก็", "각", "𠮷", "🫖",
)  # fmt: skip
WISHES = (
    "灯笼很漂亮，挂在阳台上全家都喜欢，谢谢！",
    "お茶の香りがとてもよくて、また注文します。",
    "포장이 정말 예뻐요. 선물하기 좋아요.",
    "Cảm ơn, trà rất thơm và gói rất đẹp.",
    "شكراً جزيلاً، الشاي لذيذ والفانوس جميل جداً.",
    "תודה רבה, הפנס מאיר את כל המרפסת.",
    "Спасибо! Чай чудесный, фонарь ещё лучше.",
    "ชาหอมมาก ขอบคุณค่ะ",
    "चाय बहुत अच्छी है, धन्यवाद।",
    "Merci beaucoup, les lanternes sont magnifiques.",
)


def guest_book(rows: int = 150) -> str:
    """Wishes of customers in many scripts, some with signs that are several characters long."""
    dice = Dice("guest book")
    return "\n".join(
        f"{n:03d} {dice.pick(NAMES)} {dice.pick(SIGNS)}{dice.pick(SIGNS)} {dice.pick(WISHES)}"
        for n in range(1, rows + 1)
    )


def scripts() -> bytes:
    """`awkward-cjk.jsonl`: a guest book in a dozen scripts is put in order."""
    t = begin("scripts")
    t.user(
        "留言簿里的名字排得乱七八糟 🙏 请看看 留言簿/来宾.txt，告诉我一共有几种文字，不要改动原文。", pause=0
    )
    t.step("我先读一遍。", show_file(f"{FOLDER}/留言簿/来宾.txt", guest_book()), think=60)
    families = "👨‍👩‍👧‍👦" * 620
    count = "python 统计.py 留言簿/来宾.txt --只数 家庭"
    t.step(
        "文字的种类数清楚了，另外把全家福的表情单独打印出来看看长度。",
        plain_call("Bash", {"command": count, "description": "数一数家庭表情 👨‍👩‍👧‍👦"}, families),
    )
    t.step(
        "一共十二种文字：汉字、假名、谚文、越南文、拉丁文、阿拉伯文、希伯来文、希腊文、西里尔文、泰文、天"
        "城文，还有半角片假名。\n\n"
        "家庭表情 👨‍👩‍👧‍👦 看着是一个字，其实是七个码点；从中间切断就会变成四个人各站各的：👨 👩 👧 "
        "👦。原文没有改动。",
    )
    t.close_turn()
    t.user(
        "では、名前を読みの順に並べ替えて、別のファイルに書いてください。元のファイルはそのままで。",
        pause=120,
    )
    ordered = "\n".join(sorted(guest_book(24).split("\n"), key=lambda line: line[4:]))
    t.step(
        "別のファイルに書きます。",
        plain_call(
            "Write",
            {"file_path": f"{FOLDER}/留言簿/並べ替え.txt", "content": ordered},
            f"File created successfully at: {FOLDER}/留言簿/並べ替え.txt",
        ),
        think=50,
    )
    t.step(
        "並べ替えたものを「並べ替え.txt」に書きました。半角の ﾀﾅｶ ﾀﾛｳ は「タナカ」として並べ、元のファイル"
        "には触れていません。🏮"
    )
    t.close_turn()
    return finished(t)


# ---- what terminals would act on

ESCAPES = (
    "\x1b[31mred\x1b[0m \x1b[1;5mblinking\x1b[m \x1b[2J\x1b[H\x1b[6n",
    "\x1b]0;owned title\x07 \x1b]52;c;SGVsbG8=\x07 \x1b]8;;https://example.org/\x1b\\a link\x1b]8;;\x1b\\",
    "\x9b31m eight bits \x9d0;title\x9c \x90q\x9c",
    '\x1bP$q"p\x1b\\ \x1b_application\x1b\\ \x1bc \x1b[?1049h \x1b(0',
    "\u202etxt.exe\u202c \u2066isolated\u2069 \u200bzero\u200bwidth\u2060 \ufeff",
    "bell\x07 back\x08space over\rwritten nul\x00 del\x7f vt\x0b ff\x0c",
    "ls\u2028ps\u2029nel\x85 end",
    "\x1b]0;never closed",
)
MARKUP = (
    "[bold]not bold[/bold]",
    "[/x]",
    "[link=https://example.org]click",
    "[@click=app.quit]quit[/]",
    "[",
    "[[]",
    "\\[red]",
)


def escapes() -> bytes:
    """`awkward-escapes.jsonl`: somebody asks why a log turns the terminal red."""
    t = begin("escapes", branch="fix/[red]-\x1b[31mlog")
    t.loose("custom-title", customTitle=f"Why is it red? {MARKUP[0]} {ESCAPES[1]}")
    t.user(
        "Since I looked at build.log my terminal is red and its title is wrong. It starts "
        f"with: {ESCAPES[0]} {MARKUP[1]}",
        pause=0,
    )
    path = f"{FOLDER}/logs/[bold]build[/x]\u202egol.log"
    t.step(
        f"I'll look at it byte by byte, not on a terminal. {MARKUP[2]}",
        show_file(
            path,
            "\n".join(
                f"{n:02d} {line} {mark}"
                for n, (line, mark) in enumerate(zip(ESCAPES, MARKUP + MARKUP, strict=False))
            ),
        ),
        plain_call(
            "Bash",
            {
                "command": f"cat -v {path}",
                "description": f"Show it made safe {MARKUP[3]}{ESCAPES[4]}",
                "[/x]": ESCAPES[1],
            },
            "\n".join(ESCAPES * 6),
        ),
        plain_call(
            "Bash",
            {"command": f"reset {ESCAPES[7]}"},
            f"Exit code 1\n{ESCAPES[2]} {MARKUP[1]} {ESCAPES[5]}",
            error=True,
        ),
        think=80,
    )
    t.queue(f"And is the title set by {ESCAPES[1]} too? {MARKUP[4]}")
    t.unqueue(f"And is the title set by {ESCAPES[1]} too? {MARKUP[4]}")
    t.step(
        "The log holds orders for the terminal. `ESC [ 31 m` makes it red, `ESC ] 0 ;` sets the title, "
        "`ESC ] 52 ;` writes to the clipboard, and the last line opens an order that is never closed, as "
        f"in {ESCAPES[7]!r}. Type `reset`, and read such files with `cat -v`. In square brackets nothing "
        f"happens: {' '.join(MARKUP)} are just words. Copied as it is: {ESCAPES[3]} {ESCAPES[6]}",
    )
    t.close_turn()
    return finished(t)


# ---- one very long line


def huge_result() -> bytes:
    """`awkward-huge-result.jsonl`: an export of the stock comes back as one line of 400,000 characters."""
    t = begin("huge")
    dice = Dice("stock")
    items: list[dict[str, Any]] = []
    size = 2
    while size < 400_000:
        department = PAGES[dice.pick(tuple(PAGES))]
        name = f"{dice.pick(department.names)} {dice.pick(department.things)}"
        note = " ".join(some(dice, department.phrases.using, 3) + some(dice, department.phrases.keeping, 2))
        items.append({"no": len(items) + 1, "name": name, "left": dice.number(0, 40), "note": note})
        size += len(compact(items[-1])) + 1
    gone = sum(item["left"] == 0 for item in items)
    t.user("How many articles are out of stock? Ask the stock server, and do not print the list.", pause=0)
    text = compact(items)
    outcome = Outcome([{"type": "text", "text": text}], f"{len(text)} characters", "code")
    t.step(
        "I'll ask for an export.",
        Call("mcp__stock__export", {"format": "json"}, lambda work: outcome),
        think=40,
    )
    t.step(
        f"{gone} of {len(items):,} articles are out of stock. The export came as one line, so I have not "
        "printed it."
    )
    t.close_turn()
    t.user("Thanks. Next time ask only for those with `left` = 0.", pause=60)
    t.step("I will: the server takes a filter, `left=0`, and then the answer is a few lines long.")
    t.close_turn()
    return finished(t)


# ---- a file that was damaged


def broken_lines() -> bytes:
    """`awkward-broken-line.jsonl`: written by a machine that lost power, twice.

    A record is torn and was written again, a block of NUL bytes stands behind one record and on a
    line of its own, two records share a line, and the last record is cut off without a line end.
    What a reader that skips such lines is left with is still a sound conversation.
    """
    t = begin("broken")
    t.user("The machine in the shop switched itself off again. What does the journal say?", pause=0)
    t.step("", plain_call("Bash", {"command": "journalctl -b -1 -n 6"}, JOURNAL, kind="log"))
    t.step(
        "Its power supply reports low voltage right before each time it goes. It is the adapter, not the "
        "disk."
    )
    t.close_turn()
    whole = len(t.rows)
    t.user("Is this session still readable, with the power gone in the middle of it?", pause=3000)
    t.step("Most of it. Whoever reads this file finds torn lines and should take what is whole.")
    t.user("Then write down which adapter we need: 5.1 V, 3 A, with the plug of the old one.", pause=20)
    lines = [row.encode() for row in t.rows]
    call = next(n for n, row in enumerate(lines) if b'"tool_use"' in row and b'"assistant"' in row)
    lines[call] = lines[call][: len(lines[call]) * 3 // 5] + b"\n" + lines[call]
    lines[call + 2] += b"\0" * 300
    lines[whole - 1] += b"\n" + b"\0" * 512
    talk = [
        n
        for n in range(whole, len(lines))
        if b'"type":"user"' in lines[n] or b'"type":"assistant"' in lines[n]
    ]
    question, answer, last = talk[0], talk[1], talk[2]
    lines[question] += lines[answer]
    return b"\n".join([*lines[:answer], *lines[answer + 1 : last], lines[last][: len(lines[last]) // 2]])


JOURNAL = """Nov 28 13:58:02 shop kernel: hwmon: undervoltage detected (4.61 V)
Nov 28 13:58:03 shop kernel: hwmon: voltage normalised (5.02 V)
Nov 28 13:59:40 shop kernel: hwmon: undervoltage detected (4.48 V)
Nov 28 13:59:41 shop systemd[1]: Starting daily export of the stock...
Nov 28 13:59:41 shop kernel: hwmon: undervoltage detected (4.31 V)
-- Boot ends without a shutdown --"""


# ---- fields that nobody has heard of


def unknown_fields() -> bytes:
    """`awkward-unknown-fields.jsonl`: a session of an agent from the future, or from somebody else.

    Records, fields and blocks that no reader knows, numbers that change when they are parsed and
    written again (1.10, 1E2, a very long integer), blanks where no agent writes any, a key twice.
    """
    t = begin("unknown")
    t.user("Which fields of this file do you know?", pause=0)
    t.step(
        "I'll read it.",
        plain_call("Read", {"file_path": f"{FOLDER}/future.json"}, '1\t{"version": 1.10, "moods": ["calm"]}'),
    )
    t.step("A version and a list of moods. The version is written 1.10, which is not the same text as 1.1.")
    t.close_turn()
    t.user("Keep them all when you write it back, please, to the byte.", pause=45)
    t.step("Byte for byte: what I do not know I do not touch.")
    t.close_turn()
    rows = t.rows
    prompts = [n for n, row in enumerate(rows) if '"type":"user"' in row]
    replies = [n for n, row in enumerate(rows) if '"type":"assistant"' in row]
    change(rows, prompts[0], lambda row: roomy(row, FUTURE))
    change(
        rows,
        replies[0],
        lambda row: row.replace('"effort":"medium"', '"effort":"medium","confidence":1.10,"costs":1E2'),
    )
    change(
        rows,
        replies[0],
        lambda row: row.replace('"content":[', '"content":[{"type":"hologram","depth":-0.0,"data":"aGk="},'),
    )
    change(
        rows,
        prompts[1],
        lambda row: row.replace(
            '"toolUseResult":', '"ticks":123456789012345678901234567890,"toolUseResult":'
        ),
    )
    change(
        rows,
        prompts[2],
        lambda row: row.replace('"rowSource":"local"', '"rowSource":"local","note":"first","note":"second"'),
    )
    change(
        rows,
        replies[-1],
        lambda row: row.replace('"output_tokens":', '"dream_tokens": 7.0,\t"output_tokens":'),
    )
    session = t.session_id
    rows.insert(
        1,
        f'{{"type": "telepathy-sync",  "strength" : 1.50, "sessionId":"{session}", "waves":[2e-3, -0.0]}}',
    )
    rows.insert(
        prompts[1] + 1, f'{{"sessionId":"{session}","type":"mood","mood":"calm","since":1796026308450.000}}'
    )
    rows.append(
        f'{{"type":"epilogue","sessionId":"{session}","text":"not part of the conversation","n":0.10e+1}}'
    )
    return finished(t)


FUTURE = (
    '"aura" : { "hue": 240.0, "steps": [ 1.10, 1E2, -0.0 ], "nested": {"": null, "é": "é"} },  "flags":[ ], '
)


def change(rows: list[str], place: int, how: Callable[[str], str]) -> None:
    """Change a row; it must become another one that is still JSON."""
    changed = how(rows[place])
    assert changed != rows[place], place
    json.loads(changed)
    rows[place] = changed


def roomy(row: str, more: str) -> str:
    """The row with blanks around its outer separators, and `more` fields at its start."""
    return re.sub(r'^\{"parentUuid":', '{ "parentUuid" : ', row).replace(
        '"isSidechain":', more + '"isSidechain" :\t', 1
    )


AWKWARD = {
    "awkward-cjk.jsonl": scripts,
    "awkward-escapes.jsonl": escapes,
    "awkward-huge-result.jsonl": huge_result,
    "awkward-broken-line.jsonl": broken_lines,
    "awkward-unknown-fields.jsonl": unknown_fields,
}
