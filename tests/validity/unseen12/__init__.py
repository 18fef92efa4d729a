"""Blind test lives of coding agents (set 12): Kestrel & Lund Cold Chain."""
