"""One reader for all traces: our trace file, the foreign formats, and the file and hash rules
evidence rests on.
"""
