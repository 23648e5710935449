"""Operations are data; the state is what they fold to."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from app.work.history import Deed, History, Operation, Taken, fold

OPERATIONS = st.builds(
    Operation,
    deed=st.sampled_from(list(Deed)),
    step=st.sampled_from(["budget", "micro"]),
    keys=st.lists(st.sampled_from("abc"), max_size=2).map(tuple),
    options=st.just((("keep_recent", 2),)),
)


def test_a_pin_holds_until_it_is_let_go() -> None:
    done = [Operation(Deed.PIN, keys=("a", "b")), Operation(Deed.UNPIN, keys=("a",))]
    assert fold(done).pins == {"b"}


def test_going_back_takes_the_newest_stage_and_keeps_its_refusals() -> None:
    done = [Operation(Deed.RUN, "budget"), Operation(Deed.REFUSE, "budget", ("a",)), Operation(Deed.BACK)]
    state = fold(done)
    assert state.taken == ()
    assert state.refused == {"budget": {"a"}}


def test_skipped_and_accepted_stages_stand_in_order() -> None:
    state = fold([Operation(Deed.RUN, "budget"), Operation(Deed.SKIP, "micro")])
    assert state.taken == (Taken("budget"), Taken("micro", skipped=True))


def test_something_new_forgets_what_was_undone() -> None:
    history = History()
    history.do(Operation(Deed.RUN, "budget"))
    history.undo()
    history.do(Operation(Deed.SKIP, "budget"))
    assert history.redo() is None
    assert [operation.deed for operation in history.done] == [Deed.SKIP]


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
