"""Blind test lives of coding agents, set 14: made-up sessions of Claude Code and Codex with planned rates."""
