"""Simulated coding-agent lives in Claude Code and Codex transcript formats."""
