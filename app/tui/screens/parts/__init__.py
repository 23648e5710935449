"""Parts that screens are composed of: mixins, forms, and work in threads. None is a screen by itself.

background        the stages ahead, counts and checks of a session
behind            work over every row: at once in a short session, in the background in a long one
progress          what is being waited for, for how long, and what escape does
rows              usage bar, stage strip, list and detail; sorting, filtering, searching
searching         searching all texts of a session
mapping           the map above the list
marking           marking rows one by one, as a range, or by criteria
attempting        trying a hand edit, and asking if it touches protected blocks
editing           hand edits of rows, by a key each and from a menu
quick_fixes       quick fixes, with what each would free
undoing           undo and redo
choices           choosing a filter or a branch
choose_pipeline   choosing another pipeline
comparing         opening the comparison of all pipelines
stepping          running the current stage
stage_inputs      giving a stage its summary or the provider's refusal
summarising       a summary in place of rows
models            which model a person can be offered
export_fields     path and tick boxes of the export dialog
export_form       its widgets
exporting         planning and writing an export
option_form       a form of option fields
lost_facts        opening the list of lost facts
recipes           saving the steps as a recipe, and applying one
unsaved_steps     journaling steps, offering them again, and asking before they are discarded
watching          noticing that the file changed, and reloading it
on_disk           comparing a read with its file on disk
moving            converting the session to another agent's format
subagents         opening what a subagent did
copying           copying a text or a record, saving a text
opens             reading a session
file_head         the first rows of a large file while the rest is read
discovering       finding the sessions on this machine
session_filters   the filters of the list of sessions
compare_sessions  comparing two sessions of the list
"""
