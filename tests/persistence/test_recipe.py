"""A history as a file: what was saved is done again, what does not fit is told, a stranger does no harm."""

from __future__ import annotations

import stat
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.edits.drop import Drop
from app.edits.replace_text import ReplaceText
from app.errors import BadRecipe, HandcompactError, RefusedError, WriteFailed
from app.model import ToolResult, blocks_of, text_of
from app.opening import open_workspace
from app.operation_text import check_rule, do_typed
from app.persistence.applying import apply_recipe
from app.persistence.recipe import Recipe, as_toml, parse_recipe, recipe_of, save_recipe
from app.pipeline import load, preset_names
from app.work.history import OpKind
from app.work.stage_inputs import give_memory, give_refusal, give_summary, note_failure, prefer, reset
from app.work.workspace import Workspace
from tests.edits.test_every_sample import SAMPLES, opened, some_edit
from tests.formats.claude_code.records import assistant, lines, result, use, user
from tests.tui.files import anthropic_file

RULES = (
    "clear tool:Read larger_than:50",
    "cut tool:* larger_than:200 head=1 tail=1",
    "fix superseded-reads",
    "fix failed-calls",
    "pin verdict:only-copy",
    "pin role:user",
    "drop path:*.py before_turn:-1 force=true",
)


def reread(recipe: Recipe) -> Recipe:
    return parse_recipe(as_toml(recipe), "r.toml", check_rule)


def texts(workspace: Workspace) -> list[tuple[str, str]]:
    return [(block.key, text_of(block)) for _, block in blocks_of(workspace.messages)]


def some_step(workspace: Workspace, random: Random) -> None:
    """Anything that a person may do, as far as it can be done."""
    keys = [block.key for _, block in blocks_of(workspace.messages)]
    chosen = random.sample(keys, min(len(keys), random.randint(1, 3)))
    steps = [planned.name for planned in workspace.pipeline.steps]
    match random.randrange(9):
        case 0:
            workspace.advance()
        case 1:
            workspace.skip()
        case 2:
            workspace.back()
        case 3:
            workspace.refuse(random.choice(steps), chosen)
        case 4:
            workspace.pin(chosen)
        case 5:
            step = random.choice(steps)
            workspace.set_options(step, {"protect": False, "target_share": 0.25, "only_if_smaller": True})
        case 6:
            try:
                do_typed(workspace, random.choice(RULES))
            except HandcompactError:
                return
        case _:
            edit = some_edit(workspace, random)
            if workspace.why_not_edit(edit) is None:
                workspace.edit(edit)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(preset_names()))
def test_what_was_done_is_what_is_done_again(seed: int, pipeline: str) -> None:
    session, _ = opened("claude-code-tools.jsonl")
    random = Random(seed)
    first, second = (Workspace(session, load(pipeline), exact=False) for _ in range(2))
    for _ in range(8):
        some_step(first, random)
    recipe, left_out = recipe_of(first)
    if not recipe.steps:
        return
    again = reread(recipe)
    assert not left_out and again.pipeline == first.pipeline
    applied = apply_recipe(again, second)
    assert applied.misfits == ()
    assert second.history.done == first.history.done
    assert texts(second) == texts(first)
    assert as_toml(recipe_of(second)[0]) == as_toml(recipe)


def test_texts_that_were_given_are_in_it() -> None:
    session, _ = opened("claude-code-long.jsonl")
    first, second = (Workspace(session, load("minicode"), exact=False) for _ in range(2))
    give_memory(first, "summarize", ['# Memory\n\n"""quoted""" \\ back\ttab\r\n\x1b[2J 登录 \n'])
    prefer(first, "summarize", "memory")
    give_refusal(first, "recover", "prompt is too long: 213000 tokens > 200000 maximum")
    note_failure(first, "summarize", "no answer")
    reset(first, "recover")
    first.run_all()
    recipe, _ = recipe_of(first)
    text = as_toml(recipe)
    assert "\x1b" not in text and "\t" not in text
    assert apply_recipe(reread(recipe), second).misfits == ()
    assert second.history.done == first.history.done and texts(second) == texts(first)


def test_a_summary_by_hand_stays_by_hand() -> None:
    session, _ = opened("claude-code-long.jsonl")
    workspace = Workspace(session, load("layered"), exact=False)
    step = next(s.name for s in workspace.pipeline.steps if hasattr(s.stage, "source"))
    prefer(workspace, step, "hand")
    give_summary(workspace, step, "hand", "By hand.\n\nOf many lines.")
    assert reread(recipe_of(workspace)[0]).steps == recipe_of(workspace)[0].steps


RECORDS = (
    user(1, None, "Why?"),
    assistant(2, 1, [use("a", file_path="a.py")]),
    user(3, 2, [result("a", "a line of a file\n" * 900)]),
    assistant(4, 3, "Because."),
)
MORE = (
    user(5, 4, "And now?"),
    assistant(6, 5, [use("b", file_path="b.py")]),
    user(7, 6, [result("b", "another line\n" * 900)]),
    assistant(8, 7, "Wait."),
    user(9, 8, "Well?"),
    assistant(10, 9, "Done."),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(*RECORDS))
    return path


def work(file: Path, pipeline: str = "react-mini") -> Workspace:
    return open_workspace(str(file), pipeline=pipeline, exact=False).workspace


def results(workspace: Workspace) -> list[ToolResult]:
    return [block for _, block in blocks_of(workspace.messages) if isinstance(block, ToolResult)]


def test_a_rule_chooses_anew_in_a_session_that_grew(file: Path) -> None:
    workspace = work(file)
    do_typed(workspace, "clear tool:Read larger_than:100")
    workspace.pin([workspace.session.live[0].blocks[0].key])
    recipe = reread(recipe_of(workspace)[0])
    assert [step.rule for step in recipe.steps] == ["clear tool:Read larger_than:100", ""]
    with file.open("ab") as out:
        out.write(lines(*MORE))
    grown = work(file)
    applied = apply_recipe(recipe, grown)
    assert applied.misfits == () and applied.told == "all 2 steps were applied"
    assert [text_of(block) == "another line\n" * 900 for block in results(grown)] == [False, False]


def test_a_row_that_was_named_is_not_guessed(tmp_path: Path) -> None:
    """In a format that knows blocks by their place, another one may stand there."""
    path = anthropic_file(tmp_path, turns=2)
    workspace = work(path)
    key = results(workspace)[0].key
    workspace.edit(Drop(keys=(key,)))
    workspace.advance()
    recipe = reread(recipe_of(workspace)[0])
    assert recipe.looks[key].startswith("tool_result ")
    path.write_text(path.read_text().replace("file 0", "FILE 0"))
    changed = work(path)
    applied = apply_recipe(recipe, changed)
    assert applied.misfits == ("step 1, drop 1 block: the block is missing or changed",)
    assert (applied.steps, applied.done) == (2, 1)
    without = parse_recipe(as_toml(recipe).split("[blocks]")[0], "r.toml", check_rule)
    assert apply_recipe(without, work(path)).misfits == (), "whoever takes the looks out means the places"


def test_it_is_private_new_and_of_something(file: Path) -> None:
    workspace = work(file)
    target = file.with_name("r.toml")
    with pytest.raises(RefusedError, match="nothing to save"):
        save_recipe(workspace, target)
    workspace.advance()
    assert save_recipe(workspace, target) == []
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with pytest.raises(WriteFailed, match="already exists"):
        save_recipe(workspace, target)
    first = workspace.session.live[0].blocks[0].key
    workspace.edit(ReplaceText(keys=(first,), text="half \ud800", allow_words=True))
    with pytest.raises(RefusedError, match="half of a character"):
        save_recipe(workspace, file.with_name("s.toml"))
    assert not file.with_name("s.toml").exists()


def test_what_no_file_may_set_is_left_out_and_said(file: Path) -> None:
    workspace = work(file)
    workspace.set_options("tool_result_budget", {"root": "/abs", "max_result_chars": 1000})
    workspace.set_options("tool_result_budget", {"root": "/other"})
    recipe, left_out = recipe_of(workspace)
    assert left_out == ["tool_result_budget.root, which a file is not allowed to set"] * 2
    assert len(reread(recipe).steps) == 1 and "/abs" not in as_toml(recipe)


def test_a_pipeline_of_ones_own_goes_along(file: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('name = "mine"\n[[step]]\nstage = "microcompact"\nname = "late"\nkeep_recent = 9\n')
    workspace = open_workspace(
        str(file), pipeline=str(own), settings=["late.min_chars=7"], exact=False
    ).workspace
    workspace.advance()
    recipe, _ = recipe_of(workspace)
    own.unlink()
    again = reread(recipe)
    assert again.pipeline is not None and again.pipeline.steps == workspace.pipeline.steps


def hand_written(body: str, head: str = '[pipeline]\nname = "react-mini"') -> str:
    return f"recipe = 1\n{head}\n{body}\n"


def parsed(body: str, head: str = '[pipeline]\nname = "react-mini"') -> Recipe:
    return parse_recipe(hand_written(body, head), "r.toml", check_rule)


def test_a_recipe_can_be_written_by_hand(file: Path) -> None:
    recipe = parsed(
        '[[step]]\ndo = "run all"\n'
        '[[step]]\ndo = "back"\n'
        '[[step]]\ndo = "run"\n'
        '[[step]]\ndo = "keep_last_turns turns=1"\n'
    )
    workspace = work(file)
    applied = apply_recipe(recipe, workspace)
    assert [operation.kind for operation in workspace.history.done] == [
        *[OpKind.RUN] * 3,
        OpKind.BACK,
        OpKind.RUN,
    ]
    assert len(applied.misfits) == 1 and applied.misfits[0].startswith("step 4, 'keep_last_turns turns=1'")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('[[step]]\ndo = "run"\nstage = "fit"', "step 1, accept fit: the next stage of react-mini is"),
        ('[[step]]\ndo = "back"', "step 1, undo a stage: no stage has been run yet"),
        ('[[step]]\ndo = "pin"\nkeys = ["gone"]', "step 1, pin 1 block: the block is missing"),
        ('[[step]]\ndo = "drop"\nkeys = ["a", "b"]', "step 1, drop 2 blocks: all 2 blocks are missing"),
        ('[[step]]\ndo = "clear tool:Bash"', "step 1, 'clear tool:Bash' cannot be done: no row of that kind"),
        (
            '[[step]]\ndo = "options"\nstage = "microcompact"\noptions = {keep_recent = -3}',
            "microcompact.keep_recent must be at least",
        ),
        (
            '[[step]]\ndo = "summary"\nstage = "fit"\noptions = {source = "hand"}',
            "react-mini has no stage 'fit'",
        ),
        ('[pipeline.set.fit]\nx = 1\n[[step]]\ndo = "run"', "pipeline react-mini has no stage 'fit'"),
    ],
)
def test_what_does_not_fit_is_told_in_a_line(file: Path, body: str, told: str) -> None:
    applied = apply_recipe(parsed(body), work(file))
    assert len(applied.misfits) == 1 and told in applied.misfits[0]


def test_a_pipeline_that_is_not_there_leaves_the_edits(file: Path) -> None:
    recipe = parsed('[[step]]\ndo = "clear tool:Read"', '[pipeline]\nname = "gone"')
    assert recipe.pipeline is None
    workspace = work(file)
    applied = apply_recipe(recipe, workspace)
    assert applied.done == 1 and "unknown pipeline 'gone'" in applied.misfits[0]


HOSTILE = {
    "unknown key 'command'; a step has: do, stage, keys, options": '[[step]]\ndo = "run"\ncommand = "rm"',
    "unknown key 'model'": 'model = 1\n[[step]]\ndo = "run"',
    "unknown key 'url'": '[[step]]\ndo = "run"\n[step.url]',
    "do must be one of": '[[step]]\ndo = "exec"',
    "did you mean drop?": '[[step]]\ndo = "dorp"',
    "unknown operation 'sh'": '[[step]]\ndo = "sh -c reboot"',
    "names a file": '[[step]]\ndo = "replace_text tool:Read text=@/etc/passwd"',
    "names rows (12)": '[[step]]\ndo = "drop 12"',
    "reads files on disk": '[[step]]\ndo = "fix on-disk"',
    "unknown quick fix 'x'": '[[step]]\ndo = "fix x"',
    "root is not allowed": '[[step]]\ndo = "options"\nstage = "microcompact"\noptions = {root = "/etc"}',
    "microcompact.root is not allowed in an edit": '[[step]]\ndo = "stage microcompact root=/etc"',
    "microcompact.root": (
        '[[step]]\ndo = "stage"\noptions = {stage = "microcompact", settings = ["root=/etc"]}'
    ),
    "save.folder": '[[step]]\ndo = "save"\nkeys = ["x"]\noptions = {folder = "/etc"}',
    "has no option 'command'": '[[step]]\ndo = "drop"\nkeys = ["x"]\noptions = {command = "rm"}',
    "stage microcompact has no option 'url'": (
        '[[step]]\ndo = "options"\nstage = "microcompact"\noptions = {url = "http://x"}'
    ),
    "source must be one of memory, hand, model": (
        '[[step]]\ndo = "summary"\nstage = "x"\noptions = {source = "web"}'
    ),
    "unknown key 'file'": (
        '[[step]]\ndo = "summary"\nstage = "x"\noptions = {source = "memory", file = "/etc/passwd"}'
    ),
    "pin needs keys": '[[step]]\ndo = "pin"',
    "back takes no stage": '[[step]]\ndo = "back"\nstage = "fit"',
    "keys must be a list of strings": '[[step]]\ndo = "pin"\nkeys = [1]',
    "options must be a table": '[[step]]\ndo = "drop"\noptions = 3',
    "options.a must be a string, a number": '[[step]]\ndo = "drop"\noptions = {a = {b = 1}}',
    "chooses its rows itself": '[[step]]\ndo = "clear tool:Bash"\nkeys = ["x"]',
    "unknown verdict": '[[step]]\ndo = "clear verdict:x"',
    "a recipe needs [[step]]": "",
    "a string of up to": f'[[step]]\ndo = "{"x" * (1 << 20)}y"',
}


@pytest.mark.parametrize("told", HOSTILE)
def test_what_a_stranger_may_not_say_is_refused_by_name(told: str) -> None:
    with pytest.raises(BadRecipe) as refusal:
        parsed(HOSTILE[told])
    assert told in str(refusal.value) and str(refusal.value).startswith("r.toml: ")


@pytest.mark.parametrize(
    "head",
    [
        "pipeline = 3",
        '[pipeline]\nname = "react-mini"\nargv = ["sh"]',
        '[pipeline]\nname = "react-mini"\n[pipeline.set.microcompact]\nroot = "/etc"',
        '[pipeline]\nname = "react-mini"\n[pipeline.set.microcompact]\nplaceholder = "a\\nb"',
        '[pipeline]\nname = "react-mini"\nset = 3',
        '[pipeline]\nname = "x"\n[[pipeline.step]]\nstage = "microcompact"\nroot = "/etc"',
        '[pipeline]\nname = "x"\n[[pipeline.step]]\nstage = "sh"',
        '[pipeline]\nname = "gentle"\n[[pipeline.step]]\nstage = "fit"',
    ],
)
def test_a_pipeline_of_a_stranger_is_held_to_what_a_pipeline_may_say(head: str) -> None:
    with pytest.raises(BadRecipe, match=r"^r\.toml: pipeline"):
        parsed('[[step]]\ndo = "run"', head)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "recipe = 2",
        "recipe = true",
        "recipe = 1",
        "x" * 100,
        "[" * 100_000,
        "recipe = " + "9" * 5000,
        "\x00",
    ],
)
def test_what_is_no_recipe_is_one_line(text: str) -> None:
    with pytest.raises(BadRecipe) as refusal:
        parse_recipe(text, "r.toml", check_rule)
    assert len(str(refusal.value)) < 400


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_a_damaged_recipe_never_crashes(seed: int) -> None:
    session, _ = opened("claude-code-tools.jsonl")
    workspace = Workspace(session, load("react-mini"), exact=False)
    do_typed(workspace, "clear tool:Read")
    workspace.set_options("microcompact", {"keep_recent": 3})
    workspace.pin([session.live[0].blocks[0].key])
    text, random = as_toml(recipe_of(workspace)[0]), Random(seed)
    signs = list(text)
    for _ in range(random.randint(1, 6)):
        signs[random.randrange(len(signs))] = random.choice('"[]{}=\n\\#, 9ax')
    try:
        recipe = parse_recipe("".join(signs), "r.toml", check_rule)
    except BadRecipe:
        return
    apply_recipe(recipe, Workspace(session, load("react-mini"), exact=False))


def test_samples_are_found() -> None:
    assert (SAMPLES / "claude-code-tools.jsonl").exists()
