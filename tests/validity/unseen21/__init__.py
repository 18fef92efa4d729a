"""Simulated coding agents with a known truth, written as Claude Code and Codex transcripts."""
