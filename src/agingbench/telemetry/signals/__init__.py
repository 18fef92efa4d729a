"""The signals of telemetry, one file per mechanism: what each session shows, and what may be read
into it.
"""
