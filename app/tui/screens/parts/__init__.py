"""What several screens, or one large one, are put together from; none of it is a screen by itself.

background       the stages ahead, counts and checks of a session, worked out in a thread
rows             usage bar, stage strip, list and detail, sorted, filtered and searched
marking          marking rows one by one, as a range, or by what they are
attempting       trying a hand edit in a thread, asking where it touches what is kept
editing          the hand edits of rows, by a key each and from a menu
fixing           quick fixes, with what each would free
choices          choosing a filter or a branch
choose_pipeline  choosing another pipeline
stepping         running the stage at hand, in a thread
exporting        planning and writing, in a thread
losing           the way to the facts that go
recipes          saving what was done as a recipe, and doing one
keeping          steps kept safe, taken up again, and asked about before they go
watching         noticing that the file went on
copies           copying a text or a record, saving a text
opens            reading a session in a thread
"""
