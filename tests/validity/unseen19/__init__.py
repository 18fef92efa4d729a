"""Simulated coding-agent lives: twenty-five kinds, Claude Code and Codex transcripts."""
