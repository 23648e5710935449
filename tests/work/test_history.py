"""Operations are data; the state is what they fold to."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from app.work.history import History, Operation, OpKind, Taken, fold

OPERATIONS = st.builds(
    Operation,
    kind=st.sampled_from(list(OpKind)),
    step=st.sampled_from(["budget", "micro"]),
    keys=st.lists(st.sampled_from("abc"), max_size=2).map(tuple),
    options=st.just((("keep_recent", 2),)),
)


def test_a_pin_holds_until_it_is_let_go() -> None:
    done = [Operation(OpKind.PIN, keys=("a", "b")), Operation(OpKind.UNPIN, keys=("a",))]
    assert fold(done).pins == {"b"}


def test_going_back_takes_the_newest_stage_and_keeps_its_refusals() -> None:
    done = [
        Operation(OpKind.RUN, "budget"),
        Operation(OpKind.REFUSE, "budget", ("a",)),
        Operation(OpKind.BACK),
    ]
    state = fold(done)
    assert state.taken == ()
    assert state.refused == {"budget": {"a"}}


def test_skipped_and_accepted_stages_stand_in_order() -> None:
    state = fold([Operation(OpKind.RUN, "budget"), Operation(OpKind.SKIP, "micro")])
    assert state.taken == (Taken("budget"), Taken("micro", skipped=True))


def test_something_new_forgets_what_was_undone() -> None:
    history = History()
    history.do(Operation(OpKind.RUN, "budget"))
    history.undo()
    history.do(Operation(OpKind.SKIP, "budget"))
    assert history.redo() is None
    assert [operation.kind for operation in history.done] == [OpKind.SKIP]


@settings(max_examples=50)
@given(st.lists(OPERATIONS, max_size=8), st.integers(0, 10))
def test_undo_then_redo_is_where_it_was(operations: list[Operation], times: int) -> None:
    history = History()
    for operation in operations:
        history.do(operation)
    before = fold(history.done)
    undone = sum(history.undo() is not None for _ in range(times))
    redone = sum(history.redo() is not None for _ in range(times))
    assert undone == redone == min(times, len(operations))
    assert fold(history.done) == before
