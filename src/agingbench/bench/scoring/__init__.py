"""From the answers of a life to verdicts, figures, its card and its trial."""
