"""Twenty kinds of healthy simulated coding-agent lives (Claude Code and Codex transcripts)."""
