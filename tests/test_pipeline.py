"""Pipelines are data: what may stand in one, and what is said of one that does not fit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from app.errors import BadPipeline
from app.pipeline import FIRST, known_names, load, own_folder, parse, preset_names
from app.pipeline_text import as_toml

STEP = "[[step]]\nstage = 'retain_tail'"


def test_every_preset_loads_and_the_first_opens_first() -> None:
    names = preset_names()
    assert names[0] == FIRST
    for name in names:
        assert load(name).name == name


def test_every_preset_is_told_of_in_the_readme() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    told = re.findall(r"^\| `([a-z0-9-]+)`", readme.partition("## Pipelines")[2], re.MULTILINE)
    assert sorted(told[: len(preset_names())]) == sorted(preset_names())


def test_react_mini_has_the_seeds_numbers() -> None:
    budget, micro, retain = (step.stage for step in load("react-mini").steps)
    assert vars(budget)["max_result_chars"] == 4000
    assert (vars(micro)["max_total_chars"], vars(micro)["keep_recent"], vars(micro)["min_chars"]) == (
        80_000,
        4,
        500,
    )
    assert (vars(retain)["max_total_chars"], vars(retain)["max_messages"]) == (80_000, 40)


def test_options_are_read_from_text_and_from_toml() -> None:
    pipeline = load("react-mini").with_options(
        {"microcompact": {"keep_recent": "7", "tools": "Read, mcp__*"}}
    )
    micro = vars(pipeline.steps[1].stage)
    assert micro["keep_recent"] == 7
    assert micro["tools"] == ("Read", "mcp__*")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"micro": {"keep_recent": "7"}}, "no stage 'micro'"),
        ({"microcompact": {"keep": "7"}}, "no option 'keep'"),
        ({"microcompact": {"keep_recent": "many"}}, "must be a whole number, not 'many'"),
        ({"microcompact": {"keep_recent": "-1"}}, "must be at least 0"),
        ({"microcompact": {"keep_recent": 1.5}}, "must be a whole number"),
        ({"microcompact": {"aliases": "perhaps"}}, "must be one of auto, on, off"),
        ({"retain_tail": {"keep_first_user": "perhaps"}}, "must be true or false"),
    ],
)
def test_what_does_not_fit_is_named(options: dict[str, dict[str, object]], words: str) -> None:
    with pytest.raises(BadPipeline, match=words):
        load("react-mini").with_options(options)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = 'x'", "at least one"),
        ("name = 'x'\n[[step]]\nstage = 'nope'", "unknown stage 'nope'"),
        (f"estimator = 'guess'\n{STEP}", "estimator must be one of tokens, .* not 'guess'"),
        (f"estimator = 7\n{STEP}", "estimator must be a string of up to 1,000 characters, not 7"),
        (f"title = ['x']\n{STEP}", r"title must be a string .* not \['x'\]"),
        (f"about = '{'x' * 1001}'\n{STEP}", "about must be a string of up to 1,000 characters"),
        (f"command = 'rm'\n{STEP}", "unknown key 'command'; .* it cannot contain a command, address or key"),
        (
            f"[model]\nkind = 'command'\n{STEP}",
            "unknown key 'model'; .* cannot contain a command, address or key",
        ),
        (f"estimater = 'tokens'\n{STEP}", r"unknown key 'estimater' \(did you mean estimator\?\)"),
        (f"name = 'a b'\n{STEP}", "name must be up to 60 letters, digits, - and _, not 'a b'"),
        (f"name = ''\n{STEP}", "name must be up to 60"),
        (f"name = '../up'\n{STEP}", "name must be up to 60"),
        (f"name = 7\n{STEP}", "name must be a string"),
        (f"name = 'layered'\n{STEP}", "name 'layered' is taken by a preset"),
        (f"{STEP}\n{STEP}", "two steps are called 'retain_tail'"),
        (f"{STEP}\nname = 'a.b'", "step 1: name must be up to 60"),
        (f"{STEP}\nname = 5", "step 1: name must be a string"),
        ("[[step]]\nname = 'x'", "step 1: it names no stage"),
        ("[[step]]\nstage = ['snip']", "step 1: it names no stage"),
        (f"{STEP}\n[[step]]\nstage = 'micro'", "step 2: unknown stage 'micro'"),
        (f"{STEP}\nmax_mesages = 4", r"no option 'max_mesages' \(did you mean max_messages\?\); it has: "),
        (
            f"{STEP}\nendpoint = 'https://x.test'",
            "no option 'endpoint'; .* cannot contain a command, address or key",
        ),
        (f"{STEP}\nurl.x = 1", "no option 'url'; .* cannot contain a command, address or key"),
        ("\n".join(f"{STEP}\nname = 'n{n}'" for n in range(101)), "101 steps are too many: at most 100"),
        ("", "the file is empty: a pipeline needs at least one"),
        ("# only words", "the file is empty"),
        ("name = ", "is not TOML"),
        ("name = 'x'\nstep = 3", "at least one"),
        ("step = ['snip']", "step 1: it names no stage"),
        (f"x = {'[' * 5000}", "is not TOML"),
        (f"x = 1{'0' * 5000}", "is not TOML"),
    ],
)
def test_a_broken_file_says_where(text: str, words: str) -> None:
    with pytest.raises(BadPipeline, match=f"^mine.toml.*{words}"):
        parse(text, origin="mine.toml")


@pytest.mark.parametrize(
    ("stage", "option", "words"),
    [
        ("snip", "max_messages = 3", "max_messages of 3 leaves no tail: the head of 3 must be less"),
        ("snip", "max_messages = 4\nmarker_counts = true", "leaves no tail: the head of 3 and the marker"),
        ("snip", "max_messages = 0", "snip.max_messages must be at least 1, not 0"),
        ("snip", "head_messages = -1", "snip.head_messages must be at least 0, not -1"),
        ("snip", "keep_pairs = 1", "snip.keep_pairs must be true or false, not 1"),
        ("snip", "keep_pairs = 'perhaps'", "must be true or false, not 'perhaps'"),
        ("snip", "max_messages = 9.5", "must be a whole number, not 9.5"),
        ("snip", "max_messages = true", "must be a whole number, not True"),
        ("snip", "max_messages = nan", "must be a whole number, not nan"),
        ("snip", "max_messages = inf", "must be a whole number, not inf"),
        ("snip", "max_messages = 'nan'", "must be a whole number, not 'nan'"),
        ("snip", "max_messages = []", r"must be a whole number, not \[\]"),
        ("snip", "max_messages = {}", "must be a whole number, not {}"),
        ("snip", "max_messages = 2026-11-30", "must be a whole number, not datetime"),
        ("snip", "max_messages = 9000000000000", "must be at most 1,000,000,000,000, not 9000000000000"),
        ("snip", f"max_messages = 0x1{'0' * 5000}", "must be at most .* not a number too long"),
        ("snip", "max_messages = 1e300", "must be at most 1,000,000,000,000"),
        ("snip", "target_share = 1.5", "snip.target_share must be at most 1, not 1.5"),
        ("snip", "target_share = -0.5", "snip.target_share must be at least 0, not -0.5"),
        ("snip", "target_share = nan", "snip.target_share must be a number, not nan"),
        ("snip", "target_share = -inf", "snip.target_share must be a number, not -inf"),
        ("snip", "target_share = true", "snip.target_share must be a number, not True"),
        ("snip", f"target_share = 0x1{'0' * 5000}", "must be a number, not a number too long"),
        ("recover", "ratios = [0.3, 1.5]", "recover.ratios must be at most 1, not 1.5"),
        ("recover", "ratios = [0.3, nan]", "recover.ratios must be a list of numbers"),
        ("recover", "ratios = 'a few'", "recover.ratios must be a list of numbers, not 'a few'"),
        ("recover", "ratios = 0.3", "recover.ratios must be a list of numbers, not 0.3"),
        ("recover", "attempts = 0", "recover.attempts must be at least 1, not 0"),
        ("recover", "heading = 'Obey me: '", "recover.heading is not allowed in a pipeline"),
        ("summarize", "high_water = 1.01", "summarize.high_water must be at most 1, not 1.01"),
        ("summarize", "source = 'oracle'", "must be one of memory, structured, .* not 'oracle'"),
        ("summarize", "source = ['hand', 5]", "summarize.source must be a list of strings"),
        ("microcompact", "tools = {a = 1}", "microcompact.tools must be a list of strings"),
        ("microcompact", f"tools = {['x'] * 1001}", "microcompact.tools must be a list of strings"),
        (
            "microcompact",
            "when = 'sometimes'",
            "must be one of always, over-threshold, over-tokens, interval, not",
        ),
        ("microcompact", 'placeholder = "a\\nb"', "placeholder must be one line of up to 200 characters"),
        ("microcompact", f"placeholder = '{'x' * 201}'", "placeholder must be one line of up to 200"),
        ("microcompact", "placeholder = 3", "placeholder must be one line of up to 200 characters, not 3"),
        ("microcompact", f"folder = '{'a/' * 200}'", "folder must be a plain name of up to 200 characters"),
        ("result_gate", "head_chars = 8000", "add up to 9063, more than max_result_chars, which is 8192"),
        ("tool_result_budget", "root = '/tmp'", "root is not allowed in a pipeline"),
        ("tool_result_budget", "folder = '/tmp'", "folder must be a folder under the root"),
        ("drop_superseded", "kinds = ['everything']", "must be one of superseded-read, .* not 'everything'"),
    ],
)
def test_an_option_out_of_range_is_named_with_what_may_be(stage: str, option: str, words: str) -> None:
    with pytest.raises(BadPipeline, match=f"^mine.toml: step 1: .*{words}") as refused:
        parse(f"[[step]]\nstage = '{stage}'\n{option}", origin="mine.toml")
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 700


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_can_be_had_as_a_file_that_loads_back_the_same(name: str, tmp_path: Path) -> None:
    preset, text = load(name), as_toml(load(name))
    mine = tmp_path / "mine.toml"
    mine.write_text(text)
    again = load(str(mine))
    assert (again.name, again.origin, again.is_preset) == ("mine", str(mine), False)
    assert replace(again, name=name, origin=preset.origin) == preset
    # Every line that shows what holds by itself can be let in: the pipeline is the same.
    lines = [line[1:] if re.match(r"#\w+ = .", line) else line for line in text.splitlines()]
    let_in = sum(line != was for line, was in zip(lines, text.splitlines(), strict=True))
    mine.write_text("\n".join(lines))
    assert let_in >= 5 * len(preset.steps) and load(str(mine)) == again


def test_a_file_shows_any_words_as_they_are(tmp_path: Path) -> None:
    title = 'a "quoted" \\ back\\slash \x1b[31m \u202e 中文 \x7f tab\t'
    pipeline = replace(load("react-mini"), title=title)
    mine = tmp_path / "mine.toml"
    mine.write_text(as_toml(pipeline))
    assert load(str(mine)).title == title
    assert all(line.isprintable() for line in mine.read_text().splitlines())


def test_ones_own_are_called_as_their_files_are(home: Path) -> None:
    folder = own_folder()
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(STEP)
    (folder / "压缩.toml").write_bytes(b"\xef\xbb\xbf" + STEP.replace("\n", "\r\n").encode())
    (folder / "gentle.toml").write_text(STEP)
    (folder / "two words.toml").write_text(STEP)
    (folder / "other.toml").write_text(f"name = 'fast'\n{STEP}")
    (folder / "notes.txt").write_text("no pipeline")
    shadow, spaced = str(folder / "gentle.toml"), str(folder / "two words.toml")
    assert known_names() == (*preset_names(), shadow, "mine", "other", spaced, "压缩")
    mine = load("mine")
    assert (mine.name, mine.title, mine.reference) == ("mine", "mine", "mine")
    assert load(str(folder / "mine.toml")).reference == "mine"
    assert load("压缩").name == "压缩"
    assert load("gentle").is_preset
    with pytest.raises(BadPipeline, match=r"gentle.toml: name 'gentle' is taken by a preset: rename"):
        load(shadow)
    with pytest.raises(BadPipeline, match=r"two words.toml: name must be up to 60 .* not 'two words'"):
        load(spaced)
    with pytest.raises(BadPipeline, match=r"other.toml: name must be 'other', like the file, not"):
        load("other")
    with pytest.raises(
        BadPipeline, match=r"unknown pipeline 'mime' \(did you mean mine\?\); available: gentle,"
    ):
        load("mime")


def test_what_is_no_text_of_a_pipeline_is_said(tmp_path: Path) -> None:
    folder, latin, long = tmp_path / "folder.toml", tmp_path / "latin.toml", tmp_path / "long.toml"
    folder.mkdir()
    latin.write_bytes(b"title = 'caf\xe9'")
    long.write_bytes(b"#" * ((1 << 20) + 1))
    for path, words in {
        folder: "folder.toml cannot be read .not a file.",
        latin: "latin.toml cannot be read .'utf-8' codec can't decode",
        long: "long.toml is larger than 1 MiB",
        tmp_path / "gone.toml": "gone.toml cannot be read .no such file.",
        Path("a\0b.toml"): "cannot be read",
    }.items():
        with pytest.raises(BadPipeline, match=words):
            load(str(path))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("root = '/etc'", "root is not allowed in a pipeline, which can come from a stranger"),
        ("folder = '/etc'", "folder must be a folder under the root"),
        ("folder = '../up'", "folder must be a folder under the root"),
        ("folder = 'C:\\up'", "folder must be a folder under the root"),
        ("folder = ''", "folder must be a folder under the root"),
        ("kinds = ['all']", "no option 'kinds'"),
        ("tools = [1]", "must be a list"),
    ],
)
def test_a_pipeline_cannot_send_files_elsewhere(options: str, words: str) -> None:
    with pytest.raises(BadPipeline, match=words):
        parse(f"name = 'x'\n[[step]]\nstage = 'microcompact'\n{options}", origin="mine.toml")


def test_a_flag_may_name_an_absolute_folder() -> None:
    pipeline = load("react-mini").with_options({"microcompact": {"root": "/saved"}})
    assert vars(pipeline.steps[1].stage)["root"] == "/saved"
    with pytest.raises(BadPipeline, match="root must be an absolute folder"):
        pipeline.with_options({"microcompact": {"root": "saved"}})


def test_each_item_of_a_list_is_checked() -> None:
    with pytest.raises(BadPipeline, match=r"must be one of superseded-read, .* not 'all'"):
        load("gentle").with_options({"superseded-reads": {"kinds": "superseded-read, all"}})


def test_an_option_that_may_be_absent_can_be_taken_back() -> None:
    timed = load("react-mini").with_options({"microcompact": {"last_run": "12.5"}})
    assert vars(timed.steps[1].stage)["last_run"] == 12.5
    assert vars(timed.with_options({"microcompact": {"last_run": ""}}).steps[1].stage)["last_run"] is None
    with pytest.raises(BadPipeline, match="must be a whole number, not ''"):
        timed.with_options({"microcompact": {"keep_recent": ""}})


def test_gentle_stops_at_half_of_the_window() -> None:
    stages = [step.stage for step in load("gentle").steps]
    assert {stage.target_share for stage in stages} == {0.5}
    assert load("gentle").estimator == "tokens"


def test_gate_8k_has_the_seeds_numbers() -> None:
    (gate,) = (vars(step.stage) for step in load("gate-8k").steps)
    names = ("open_at_tokens", "max_result_chars", "head_chars", "tail_chars", "views")
    assert [gate[name] for name in names] == [100_000, 8192, 4096, 1024, 3]
    assert load("gate-8k").estimator == "chars"


def test_a_stage_used_twice_is_told_apart_by_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        "name = 'mine'\n[[step]]\nstage = 'tool_result_budget'\n"
        "[[step]]\nstage = 'tool_result_budget'\nname = 'again'\nmax_result_chars = 100\n"
    )
    pipeline = load(str(path))
    assert [step.name for step in pipeline.steps] == ["tool_result_budget", "again"]
    assert pipeline.estimator == "tokens"


def test_an_unknown_name_lists_the_presets() -> None:
    with pytest.raises(BadPipeline, match=r"available: gentle, .*react-mini"):
        load("nope")
