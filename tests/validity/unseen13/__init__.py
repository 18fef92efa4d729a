"""Blind test lives of coding agents, set 13: made-up sessions of Claude Code and Codex with planned rates."""
