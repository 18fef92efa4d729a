"""Pages for a browser: one self-contained HTML file from cards and run folders."""
