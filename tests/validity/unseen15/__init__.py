"""Blind test lives of healthy coding agents, set 15: made-up sessions of Claude Code and Codex with level rates."""
