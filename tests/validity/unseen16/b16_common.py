"""What both writers share: the clock, ids, and one tool call."""

import json
from datetime import date, timedelta

dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
ALPHABET = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz12345"
DAY0 = date(2026, 1, 1)
DAYS = [(DAY0 + timedelta(days=i)).isoformat() for i in range(366)]
LABELS = ["%6d→" % i for i in range(4000)]
THOUGHTS = ["The check has to come before the lookup, otherwise the early return hides it. Let me see the callers.",
            "I should look at the tests first, they show how this is meant to be used.",
            "Two places could be responsible. The repository is more likely because the page only displays it.",
            "Small change. I'll keep the signature as it is so that the other services need no change.",
            "Before I edit anything I want to know who else reads this field."]


def numbered(start, lines):
    return "\n".join([a + b for a, b in zip(LABELS[start:start + len(lines)], lines)])


class Call:
    __slots__ = ("name", "args", "text", "error", "extra", "secs", "size", "raw")

    def __init__(self, name, args, text, error, extra, secs, size, raw=None):
        self.name, self.args, self.text, self.error, self.extra = name, args, text, error, extra
        self.secs, self.size, self.raw = secs, size, raw


class Base:
    thoughts = THOUGHTS

    def __init__(self, rng, *, cwd, version, model, branch, start, boost=1.0):
        self.rng, self.cwd, self.version, self.model, self.branch = rng, cwd, version, model, branch
        self.t, self.boost = start, boost  # seconds since 2026-01-01 UTC
        self.lines, self.answered, self.calls_made = [], 0, 0
        self.turn_start = start
        self.open()

    def stamp(self, t=None):
        ms = int((self.t if t is None else t) * 1000)
        s, ms = divmod(ms, 1000)
        d, s = divmod(s, 86400)
        m, s = divmod(s, 60)
        return "%sT%02d:%02d:%02d.%03dZ" % (DAYS[d], m // 60, m % 60, s, ms)

    def uuid(self):
        h = "%032x" % self.rng.getrandbits(128)
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def token(self, n):
        bits = self.rng.getrandbits(6 * n)
        out = []
        for _ in range(n):
            out.append(ALPHABET[bits & 63])
            bits >>= 6
        return "".join(out)
