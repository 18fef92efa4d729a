"""Reading, writing, archiving and scrubbing of traces, and the file and hash rules that evidence
rests on.
"""
