"""The rules that a user gave ("do not ...", "only", 不要, 必须 ...), and whether a summary tells them.

What is told of the code ("it never worked") is no rule: an English rule begins its clause, or says what
somebody must. Where a summary tells a rule in other words, most of its words stand in one line there,
with a word that makes a rule of them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from msgspec import Struct

from app.model import Author, Text, blocks_of
from app.summarizers.base import Messages


class Rule(Struct, frozen=True):
    """One sentence in which the user says what must be, or must not."""

    text: str
    """Word for word."""
    key: str
    """Of the block that it stands in."""


def rules_of(messages: Messages) -> Iterator[Rule]:
    """The user's rules in their order, each sentence once; pasted code and logs are not looked at."""
    seen = set()
    for rule in _all_rules(messages):
        plain = _plain(rule.text)
        if plain not in seen:
            seen.add(plain)
            yield rule


def missing_rules(summary: str, messages: Messages, kept: Collection[str] = ()) -> Iterator[Rule]:
    """The rules that a summary tells neither word for word nor in other words.

    What the user said in blocks of the keys `kept` is still there to be read.
    """
    told = _Told(summary)
    still_there = {_plain(rule.text) for rule in _all_rules(messages) if rule.key in kept} if kept else ()
    for rule in rules_of(messages):
        if _plain(rule.text) not in still_there and not told.tells(rule.text):
            yield rule


def _all_rules(messages: Messages) -> Iterator[Rule]:
    for _, block in blocks_of(messages):
        if isinstance(block, Text) and block.author is Author.USER:
            yield from (
                Rule(words, block.key) for words in _sentences(block.content.read()) if _is_rule(words)
            )


def with_rules(summary: str, rules: Iterable[Rule]) -> str:
    """The summary with these rules behind it, word for word."""
    lines = [f"- {rule.text}" for rule in rules]
    if not lines:
        return summary
    return "\n".join([f"{summary.rstrip()}\n\nUser constraints, word for word:", *lines])


_LONGEST: Final = 400
"""Code points of the longest sentence that is looked at: longer ones are pasted."""

_FENCED: Final = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```|\Z)", re.MULTILINE | re.DOTALL)
_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_BULLET: Final = re.compile(r"^(?:[-*•+]|\d{1,3}[.)])\s+")
_PASTED: Final = re.compile(
    r"^(?:[>$#|]|at |File \"|E  |import |from \w+ import|def |class |\w+Error\b|\[?\d{2,4}[-:/]\d\d)"
    r"|\b\w*(?:Error|Exception)\b|Traceback|[{}<>=;\\]{2}|=>|\breturn\b"
)

_BEGINS: Final = (
    r"(?:^|[,;:(—–]\s*|\b(?:and|but|so|or|then|please|also|just|you|we|remember(?: to)?|be sure to"
    r"|make sure(?: to)?|want you to|need you to)\s+)"
)
_DO: Final = (
    r"(?:add|answer|change|commit|do|edit|fix|list|look|make|modify|read|reply|report|respond|run|show|test|touch"
    r"|update|use|work|write)"
)
_DOING: Final = (
    r"(?:adding|altering|breaking|changing|deleting|editing|installing|modifying|removing|renaming|rewriting"
    r"|touching|using)"
)
_ENGLISH: Final = re.compile(
    _BEGINS + r"(?:"
    r"(?:do not|don't|dont|never|always|under no circumstances|make sure|be sure to|be careful not to|avoid"
    r"|refrain from|ensure|stick to|prefer)\s+(?!mind\b|worry\b|know\b|think\b|understand\b|remember\b"
    r"|see\b|have to\b|need to\b|be sorry\b|ending\b|you think\b)"
    rf"|(?:only|just) {_DO}\b|{_DO}\b[^,;]{{0,80}} only\b|(?:in|with) \w+ only\b"
    rf"|{_DO} nothing\b"
    r"|keep (?:the|all|my|our|it|this|that|these|those|your)\b"
    r"|leave\b.{1,80}?\b(?:alone|unchanged|untouched|as (?:it|they))\b"
    r"|no (?:new|more|extra|external|additional|other|further) \w+|no \w+ please\b"
    r"|remember to|from now on|whatever you do|nothing\b.{1,80}\b(?:may|must|should|can)\b"
    r")"
    r"|(?<!\bthat )(?<!\bthere )\bmust(?: not|n't)?\s+(?!have\s+(?:been|had|lost|missed|forgotten|gone|made"
    r"|changed)\b|be because\b)"
    r"|(?<!\bi )\b(?:should|shall|may|can)\s?(?:n't|not|never)\s+(?:ever\s+)?(?:be\s+)?(?:touch|chang|edit"
    r"|modif|delet|remov|renam|break|use|add|push|commit|install|log|call|move|run)"
    r"|\bshould always\b|\b(?:is|are) (?:forbidden|not allowed)\b|\bno new dependenc"
    r"|\byou (?:may|can) only\b|\byou (?:can't|cannot|may not)\b"
    r"|\bi (?:do not|don't) want (?!to\b)|\bi(?:'d| would) (?:rather|prefer)\b"
    r"|(?<!\bi )(?<!\bwe )\b(?:needs?|has|have) to (?:be|keep|pass|remain|stay)\b"
    rf"|\bwithout {_DOING}\b",
    re.IGNORECASE,
)
_CHINESE: Final = re.compile(
    r"(?<!要)不要(?!紧)|(?<!舍)(?<!记)(?<!觉)(?<!懂)(?<!了)不得(?!不|了|已)|(?<!不)必须|必需|请勿|切勿|严禁|禁止|务必|不许|不准"
    r"|不可以|不可(?!能|以|思|靠)|千万别|(?:^|[，。；、：\s]|[请也就但先都可还再])别(?!的|人|处)"
    r"|只(?:能|许|准|可|改|用|动|修改|使用|允许)|仅(?:能|限|可|改|用|修改|使用|允许)"
    r"|(?<![我还])不能(?=[改动用删加写推变有]|提交|破坏|影响|修改|使用|删除|添加|超过|依赖|直接|出现)"
    r"|不用(?=[加改动管写再]|引入|增加|修改|新增|考虑)|一定要|始终|永远(?=[不别要])|每次都?(?=要|必须|得)|尽量|保持|保留|原样"
    r"|以后(?=都|请|要)"
)
_OTHERS: Final = re.compile(
    # German
    r"\bniemals\b|\bauf keinen fall\b|\bbitte\b.{0,60}\b(?:nicht|nie|nur|immer|keine?\w?)\b"
    r"|\b(?:darf(?:st)?|dürfen)\b.{0,40}\b(?:nicht|nie|nur|kein\w*)\b|\bimmer erst\b"
    r"|^(?:ändere?|lösche?|nutze?|benutze?|verwende|füge|mach|schreibe?|committe|pushe)\b.{0,80}"
    r"\b(?:nicht|nie|nur|immer|kein\w*)\b"
    # French
    r"|^(?:s'il (?:te|vous) plaît,? )?n(?:e |')\w+ (?:\w+ )?(?:pas|jamais|rien)\b|\bil (?:ne )?faut\b"
    r"|^(?:toujours|jamais)\b|\bdoi(?:t|vent) (?:rester|être|toujours)\b"
    # Spanish
    r"|^(?:por favor,? )?(?:nunca|siempre|jamás)\b|\bdeben? (?:ser|estar|quedar|seguir)\b"
    r"|\bno (?:agregues|añadas|borres|cambies|elimines|hagas|modifiques|rompas|toques|uses)\b"
    # Russian
    r"|\bникогда\b|\bобязательно\b|\bнельзя\b|\bне (?:добавляй|делай|изменяй|используй|меняй|трогай|удаляй)"
    # Japanese, Korean
    r"|ないで(?:ください|下さい|$)|てはいけ|てはなら|必ず|絶対に|厳禁|반드시|절대|금지|하지\s?(?:마|말)",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(r"[?？]\s*$|(?:吗|呢|么)[。.]?\s*$")


def _sentences(text: str) -> Iterator[str]:
    for part in _END.split(_FENCED.sub("\n", text)):
        sentence = _BULLET.sub("", part.strip())
        if sentence and len(sentence) <= _LONGEST:
            yield sentence


def _is_rule(sentence: str) -> bool:
    if _ASKS.search(sentence) or _PASTED.search(sentence):
        return False
    plain = sentence.replace("’", "'")
    return any(pattern.search(plain) for pattern in (_ENGLISH, _CHINESE, _OTHERS))


_MAKES_A_RULE: Final = re.compile(
    r"\b(?:not?|never|must|always|only|avoid|without|unchanged|untouched|keep|leave|stay|forbid\w*|constraint\w*"
    r"|require\w*|rule\w*|should|mandatory|cannot|nicht|nie\w*|immer|nur|kein\w*|muss|pas|jamais|toujours"
    r"|nunca|siempre|debe\w*|не|никогда|нельзя|только)\b|n't\b|[不勿别必禁务只仅]|保持|始终|尽量|一定要"
    r"|ない|ません|반드시|마|말|금지",
    re.IGNORECASE,
)
_STOP: Final = frozenset({
    "the", "and", "for", "that", "this", "with", "you", "your", "are", "was", "but", "not", "never",
    "always", "must", "should", "dont", "please", "any", "all", "from", "have", "has", "had", "its",
    "also", "just", "then", "than", "them", "they", "our", "out", "into", "only", "make", "sure", "will",
    "can", "may", "use", "using", "when", "what", "which", "who", "does", "did", "done", "one",
})  # fmt: skip
_STEM: Final = 5
_ENOUGH: Final = 0.6
"""Share of a rule's words that one line of a summary must have to tell it."""
_LETTERS: Final = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{3,}")
"""A word of a script that puts blanks between words."""
_FIGURE: Final = re.compile(r"\d+")
"""A rule is told only with all its figures."""
_RUN: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""Characters of a script that puts none, or of Korean."""


def _plain(text: str) -> str:
    return " ".join(text.replace("’", "'").lower().split()).strip(" .!。！；;,，")


def _stems(text: str) -> set[str]:
    """What makes a sentence: stems of its words, and pairs of Chinese, Japanese or Korean characters."""
    stems = {word[:_STEM] for word in _LETTERS.findall(text.lower()) if word not in _STOP}
    for run in _RUN.findall(_CHINESE.sub(" ", text)):
        stems |= {run[i : i + 2] for i in range(len(run) - 1)}
    return stems


class _Told:
    """A summary, indexed by the words of its lines."""

    def __init__(self, summary: str) -> None:
        self._text = _plain(summary)
        self._lines: dict[str, set[int]] = defaultdict(set)
        """Stem or figure -> numbers of the lines that make rules and have it."""
        heading_rules = False
        for number, line in enumerate(summary.splitlines()):
            if line.strip() and not line.startswith((" ", "\t", "-", "*")):
                heading_rules = _MAKES_A_RULE.search(line) is not None
            if heading_rules or _MAKES_A_RULE.search(line):
                for stem in (*_stems(line), *_FIGURE.findall(line)):
                    self._lines[stem].add(number)

    def tells(self, rule: str) -> bool:
        if _plain(rule) in self._text:
            return True
        stems = _stems(rule)
        counts = Counter(line for stem in stems for line in self._lines.get(stem, ()))
        figures = [self._lines.get(figure, set()) for figure in _FIGURE.findall(rule)]
        return len(stems) > 1 and any(
            count >= _ENOUGH * len(stems) and all(line in lines for lines in figures)
            for line, count in counts.items()
        )
