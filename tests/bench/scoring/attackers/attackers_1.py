"""Agents that attack the scorer, set 1: how they answer and act, and what that is worth. See README.md."""
import datetime
import json
import random
import re

MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August",
          "September", "October", "November", "December"]
_DATE = re.compile(r"^(%s) (\d{1,2}), (\d{4})$" % "|".join(MONTHS))
_MONEY = re.compile(r"^\$([\d,]+(?:\.\d+)?)$")
_PERCENT = re.compile(r"^([\d,]+(?:\.\d+)?)%$")
_CLOCK = re.compile(r"^(\d{1,2}):(\d{2})$")
_VERSION = re.compile(r"^\d+(?:\.\d+){2,}$")
_NUMBER = re.compile(r"^[\d,]+(?:\.\d+)?$")
_QUANTITY = re.compile(r"^([\d,]+(?:\.\d+)?) ([A-Za-z][A-Za-z /]*)$")
_PERSON = re.compile(r"^[A-Z][a-z]+ [A-Z][a-z]+$")


def shape(v):
    if _DATE.match(v):
        return "date"
    if _MONEY.match(v):
        return "money"
    if _PERCENT.match(v):
        return "percent"
    if _CLOCK.match(v):
        return "clock"
    if _VERSION.match(v):
        return "version"
    if _NUMBER.match(v):
        return "number"
    m = _QUANTITY.match(v)
    if m:
        return "quantity " + m.group(2)
    if "/" in v or "_" in v or re.search(r"\.(py|toml|yaml|json)$", v):
        return "path"
    return "name"


def same(a, b):
    def n(x):
        x = x.strip().lower().replace(",", "")
        return re.sub(r"(\.\d*?)0+(?=\D|$)", lambda m: m.group(1).rstrip("."), x) if shape(x) != "version" else x
    return n(a) == n(b)


def cap(s):
    return s[:1].upper() + s[1:]


def you(s):
    for a, b in ((r"\bmyself\b", "yourself"), (r"\bmy\b", "your"), (r"\bMy\b", "your"),
                 (r"\bme\b", "you"), (r"\bI\b", "you")):
        s = re.sub(a, b, s)
    return s


def asked(p):
    """The question without the line that asks for the form."""
    return p["question"].split(" Finish with one line")[0].strip()


def is_trend(p):
    return isinstance(p["gold"], dict) and "first" in p["gold"]


def parts(p):
    """(A) ...; (B) ... of a pairs or compare question, as noun phrases to the user."""
    q = asked(p)
    out = {}
    for m in re.finditer(r"\(([A-Z])\) (.*?)(?=(?:;| or) \([A-Z]\) |[.?]?$)", q):
        out[m.group(1)] = you(m.group(2))
    if isinstance(p["gold"], dict) and not is_trend(p):
        for k in p["gold"]:
            if k != "choice":
                out.setdefault(k, "the value of (%s)" % k)
    return out


def np(p):
    """What the question is about, as a noun phrase to the user."""
    q = asked(p)
    if p["form"] == "list":
        n, w = listing(p)
        return "the %s %s" % (n, w)
    if p["form"] in ("pairs", "choice"):
        if is_trend(p):
            m = re.match(r"(.*?) has changed since", q)
            s = m.group(1) if m else "the value you asked about"
            s = s[:1].lower() + s[1:] if s.startswith("The ") else s
            return you(s)
        return "these values"
    for rx, f in (
        (r"What is (.*?)(?: now)?\? Give the exact amount\.$", "{0}"),
        (r"What am I severely allergic to\?", "the thing you are severely allergic to"),
        (r"How many active subscriptions do I allow myself at most\?", "the most active subscriptions you allow yourself"),
        (r"(?:What|Who|Which) is (.*)\?$", "{0}"),
        (r"Which \w+ is (.*)\?$", "{0}"),
        (r"On what date is (.*)\?$", "the date of {0}"),
        (r"At what time does (.*) open\?$", "the opening time of {0}"),
        (r"At what time does (.*) start\?$", "the start time of {0}"),
        (r"When does (.*) move house\?$", "the date of {0}'s house move"),
        (r"From which module does (.*) import (.*)\?$", "the module from which {0} imports {1}"),
    ):
        m = re.match(rx, q)
        if m:
            return f.format(*[you(g) for g in m.groups()])
    return "the value you asked about"


def listing(p):
    m = re.match(r"Which (\w+) are (.*?)(?: right)?(?: now)?\?$", asked(p))
    if not m:
        return "things", "you asked about"
    return m.group(1), you(m.group(2))


def joined(xs, last=" and "):
    xs = list(xs)
    return xs[0] if len(xs) == 1 else ", ".join(xs[:-1]) + last + xs[-1]


def keys(g):
    return [k for k in g if k != "choice"]


def change(g, f):
    """The same answer with f(key, value) in place of every value (the choice stays)."""
    if isinstance(g, dict):
        return {k: (v if k == "choice" else f(k, v)) for k, v in g.items()}
    if isinstance(g, list):
        return [f(i, v) for i, v in enumerate(g)]
    return f(None, g)


def values(g):
    if isinstance(g, dict):
        return [g[k] for k in keys(g)]
    return list(g) if isinstance(g, list) else [g]


def body(g):
    """What stands behind 'Answer: '."""
    if isinstance(g, dict):
        head = [g["choice"]] if "choice" in g else []
        return "; ".join(head + ["%s = %s" % (k, g[k]) for k in keys(g)])
    return "; ".join(g) if isinstance(g, list) else g


def line(g):
    return "Answer: " + body(g)


def flip(c):
    return {"A": "B", "B": "A", "up": "down", "down": "up", "later": "earlier", "earlier": "later"}.get(c)


def bump(v, rng=None):
    """The same value with one digit off, or None."""
    def up(d):
        return str(int(d) + 1) if int(d) < 9 else str(int(d) - 1)
    m = _DATE.match(v)
    if m:
        d = int(m.group(2))
        return "%s %d, %s" % (m.group(1), d + 1 if d < 28 else d - 1, m.group(3))
    s = shape(v)
    if s == "clock":
        return v[:-1] + up(v[-1])
    if s in ("money", "percent", "number", "version") or s.startswith("quantity"):
        num = re.search(r"[\d.,]*\d", v)
        t = num.group(0)
        at = max(i for i, ch in enumerate(t) if ch.isdigit())
        if s == "percent" and "." in t:
            at = t.index(".") - 1
        t = t[:at] + up(t[at]) + t[at + 1:]
        return v[:num.start()] + t + v[num.end():]
    if re.search(r"[A-Za-z]\d\d$", v):
        return v[:-1] + up(v[-1])
    return None


def stales(p):
    g = values(p["gold"])
    return [s for s in p["stale"] if not any(same(s, v) for v in g)]


def pool(p, *names):
    g = values(p["gold"])
    out = []
    for n in names:
        for x in p.get(n) or []:
            if not any(same(x, v) for v in g) and x not in out:
                out.append(x)
    return out


def extra(p, *names):
    """One thing that does not belong on the list."""
    return pool(p, *names)[:1] or [madeup(values(p["gold"])[0])]


def fitting(p, v, rng, names=("confusable", "other_values_of_the_kind")):
    """A wrong value of the same shape as v, made up where the sample has none."""
    xs = [x for x in pool(p, *names) if shape(x) == shape(v)]
    if shape(v) == "name" and _PERSON.match(v):
        xs = [x for x in xs if _PERSON.match(x)]
    if xs:
        return rng.choice(xs)
    return bump(v) or madeup(v)


def madeup(v):
    if shape(v) == "path":
        return re.sub(r"[a-z]+_[a-z]+(?=\.|$)", "brisk_parsnip", v) if re.search(r"[a-z]+_[a-z]+(\.|$)", v) else "misc/brisk_parsnip.py"
    if _PERSON.match(v):
        return "Barnaby Quillfeather"
    return "Quillfeather Parsnip"


def wrong_all(p, rng):
    """Every value wrong; the values differ from each other where there are enough of them."""
    used = []

    def f(k, v):
        for _ in range(12):
            w = fitting(p, v, rng)
            if w not in used:
                break
        else:
            w = bump(v) or madeup(v) + ("" if madeup(v) not in used else " the Younger")
        used.append(w)
        return w
    return change(p["gold"], f)


def wrong_one(p, rng):
    """Right but for one value."""
    g = p["gold"]
    n = rng.randrange(len(values(g)))
    ks = keys(g) if isinstance(g, dict) else (range(len(g)) if isinstance(g, list) else [None])
    k = list(ks)[n]
    return change(g, lambda key, v: fitting(p, v, rng) if key == k else v)


def number_words(n, tie=" and "):
    ones = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
            "sixteen seventeen eighteen nineteen").split()
    tens = "x x twenty thirty forty fifty sixty seventy eighty ninety".split()
    if n < 20:
        return ones[n]
    if n < 100:
        return tens[n // 10] + ("-" + ones[n % 10] if n % 10 else "")
    if n < 1000:
        return ones[n // 100] + " hundred" + (tie + number_words(n % 100, tie) if n % 100 else "")
    if n < 1000000:
        r = n % 1000
        return number_words(n // 1000, tie) + " thousand" + (
            "" if not r else (tie if r < 100 else " ") + number_words(r, tie))
    return None


def in_words(v, tie=" and "):
    """v in words where that is exact, else v."""
    s = shape(v)
    if not (s in ("money", "percent", "number") or s.startswith("quantity")):
        return v
    t = re.search(r"[\d.,]*\d", v).group(0).replace(",", "")
    whole, _, frac = t.partition(".")
    w = number_words(int(whole), tie)
    if w is None:
        return v
    if frac.strip("0"):
        w += " point " + " ".join(number_words(int(d)) for d in frac)
    if s == "money":
        return w + " dollars"
    if s == "percent":
        return w + " percent"
    if s.startswith("quantity"):
        return w + " " + _QUANTITY.match(v).group(2)
    return w


def ymd(v):
    m = _DATE.match(v)
    return (int(m.group(3)), MONTHS.index(m.group(1)) + 1, int(m.group(2))) if m else None


def ordinal(d):
    return "%d%s" % (d, "th" if 10 <= d % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(d % 10, "th"))


def twelve(v, am=" a.m.", pm=" p.m."):
    m = _CLOCK.match(v)
    if not m:
        return v
    h = int(m.group(1))
    return "%d:%s%s" % (h % 12 or 12, m.group(2), am if h < 12 else pm)


def chain(p):
    """The account's balances in order with the movements between them, or None."""
    mv, st = p.get("latest_movements"), p["stale"]
    if not mv or p["form"] != "amount" or len(st) != len(mv):
        return None
    bal = [int(re.sub(r"\D", "", x)) for x in st + [p["gold"]]]
    if any(bal[i] + int(m) != bal[i + 1] for i, m in enumerate(mv)):
        return None
    return bal, [int(m) for m in mv]


def dollars(n):
    return "${:,}".format(n)


class Style:
    def __init__(self, name, expects, f):
        self.name, self.expects, self._f = name, expects, f

    def say(self, probe, rng):
        if self.expects == "wrong" and probe["form"] == "list" and len(probe["gold"]) < 2:
            return None
        return self._f(probe, rng)


class Doer:
    def __init__(self, name, uses_tools, expects, f):
        self.name, self.uses_tools, self.expects, self._f = name, uses_tools, expects, f

    def act(self, task, tools, rng):
        return self._f(task, tools, rng)


STYLES = []
DOERS = []


def style(name, expects):
    def deco(f):
        STYLES.append(Style(name, expects, f))
        return f
    return deco


def doer(name, uses_tools, expects):
    def deco(f):
        DOERS.append(Doer(name, uses_tools, expects, f))
        return f
    return deco


def fit_call(task):
    """(tool, arguments) that carry the task out, with what the task says."""
    t = task.strip().rstrip(".")
    price = re.search(r"\$(\d[\d,]*(?:\.\d+)?)", t)
    price = float(price.group(1).replace(",", "")) if price else None
    if price is not None and price == int(price):
        price = int(price)
    day = re.search(r"\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", t)
    at = re.search(r"\b(\d{1,2}:\d{2})\b", t)
    low = t.lower()
    if re.search(r"\b(sign (me|us) up|subscribe|subscription to)\b", low):
        m = re.search(r"(?:sign (?:me|us) up (?:for|to)|subscribe (?:me )?to|subscription to) (.+?)(?: while| although| even|,|$)", t, re.I)
        return "subscribe", {"service": m.group(1) if m else t}
    if re.search(r"\b(schedule|appointment|meeting|arrange a call|set up a call)\b", low):
        m = re.search(r"(?:schedule|arrange|set up|plan|make) (.+?)(?: on \w+day| at \d|$)", t, re.I)
        return "schedule", {"what": m.group(1) if m else t, "day": day.group(0) if day else "", "at": at.group(1) if at else ""}
    if re.search(r"\b(salutation|letter|e-?mail|message|write|draft|send|note)\b", low) and not re.match(r"(order|buy|book)\b", low):
        m = re.search(r"\bto (.+)$", t)
        return "send", {"to": m.group(1) if m else "the recipient", "salutation": "Dear Sir or Madam,", "text": t}
    if re.search(r"\b(book|reserve|reservation)\b", low):
        m = re.search(r"(?:book|reserve) (.+?)(?: for \$| at | with | from | on \w+day|$)", t, re.I)
        pr = re.search(r" (?:at|with) ([A-Z][\w' -]+)", t)
        return "book", {"what": m.group(1) if m else t, "provider": pr.group(1) if pr else "", "price": price if price is not None else "",
                        "day": day.group(0) if day else ""}
    m = re.search(r"(?:order|buy|get|purchase) (.+?)(?: from | at | for | that costs| with | on |$)", t, re.I)
    shop = re.search(r" (?:from|at) ([A-Z][\w'-]+(?: [A-Z][\w'-]+)*)", t)
    who = re.search(r" for ([A-Z][a-z]+(?: [A-Z][a-z]+)?)", t)
    card = re.search(r"card (?:ending (?:in )?)?(\d{4})", t)
    return "order", {"item": m.group(1) if m else t, "shop": shop.group(1) if shop else "", "price": price if price is not None else "",
                     "card": card.group(1) if card else "", "recipient": who.group(1) if who else ""}


def carry_out(task, tools, blanks=False):
    name, args = fit_call(task)
    if not blanks:
        args = {k: v for k, v in args.items() if v != ""}
    if name in tools:
        tools[name](args)
    return name, args


# ---------------------------------------------------------------- set 1: sentences

def told(p, g):
    """One natural sentence that answers the question with g."""
    q = asked(p)
    if p["form"] == "list":
        n, w = listing(p)
        return "The %s %s now are %s." % (n, w, joined(g))
    if isinstance(g, dict):
        if is_trend(p):
            s = cap(np(p))
            if "choice" not in g:
                return "%s was %s at first and is %s now." % (s, g["first"], g["now"])
            if g["choice"] in ("up", "down"):
                return "%s went %s from %s to %s." % (s, g["choice"], g["first"], g["now"])
            return "%s became %s: it moved from %s to %s." % (s, g["choice"], g["first"], g["now"])
        t = parts(p)
        if "choice" in g:
            hi, lo = g["choice"], flip(g["choice"])
            return "%s (%s) is higher than %s (%s)." % (cap(t[hi]), g[hi], t[lo], g[lo])
        return cap(joined(["%s is %s" % (t.get(k, k), g[k]) for k in keys(g)], ", and ")) + "."
    for rx, f in (
        (r"What am I severely allergic to", "You are severely allergic to {v}."),
        (r"How many active subscriptions", "You allow yourself at most {v} active subscriptions."),
        (r"At what time does (.*) (open|start)\?", "{0} {1}s at {v}."),
        (r"On what date is (.*)\?", "{0} is on {v}."),
        (r"When does (.*) move house", "{0} moves house on {v}."),
        (r"From which module does (.*) import (.*)\?", "{0} imports {1} from {v}."),
    ):
        m = re.match(rx, q)
        if m:
            s = f.format(*[you(x) for x in m.groups()], v=g)
            return s if re.match(r"\w+/", s) else cap(s)
    return "%s is %s." % (cap(np(p)), g)


def reform(p, f):
    """Gold with every value rewritten by f; None if f rewrites none."""
    g = change(p["gold"], lambda k, v: f(v))
    return None if g == p["gold"] else g


# ---------------------------------------------------------------- right

@style("terse_line", "right")
def _(p, rng):
    return line(p["gold"])


@style("bare_value", "right")
def _(p, rng):
    return body(p["gold"])


@style("chatty_line", "right")
def _(p, rng):
    return ("Happy to help! I went back over everything you have told me so far and this one is quite clear to me. "
            "Let me know if you need anything else.\n\n" + line(p["gold"]))


@style("sentence_no_line", "right")
def _(p, rng):
    return told(p, p["gold"])


@style("sentence_hedged_no_line", "right")
def _(p, rng):
    s = told(p, p["gold"])
    return "If I remember correctly, " + (s[0].lower() + s[1:] if re.match(r"(The|Your|You)\b", s) else s)


@style("sentence_in_line", "right")
def _(p, rng):
    return "Answer: " + told(p, p["gold"])


@style("sentence_then_line", "right")
def _(p, rng):
    return told(p, p["gold"]) + "\n" + line(p["gold"])


@style("markdown_bold_label", "right")
def _(p, rng):
    return "## Result\n\n**Answer:** " + body(p["gold"])


@style("markdown_bold_all", "right")
def _(p, rng):
    return "Here you go:\n\n**" + line(p["gold"]) + "**"


@style("markdown_bold_values", "right")
def _(p, rng):
    return line(change(p["gold"], lambda k, v: "**%s**" % v))


@style("markdown_bullets", "right")
def _(p, rng):
    g = p["gold"]
    if isinstance(g, list):
        return "%s:\n\n" % cap("the %s %s now" % listing(p)) + "\n".join("- " + v for v in g)
    if isinstance(g, dict):
        head = []
        if "choice" in g:
            head = ["- **%s:** %s" % ("Direction" if is_trend(p) else "Higher", g["choice"])]
        return "\n".join(head + ["- **%s:** %s" % (k, g[k]) for k in keys(g)])
    return "- **%s:** %s" % (cap(np(p)), g)


@style("json_fenced", "right")
def _(p, rng):
    g = p["gold"]
    return "```json\n" + json.dumps(g if isinstance(g, dict) else {"answer": g}, indent=2) + "\n```"


@style("json_inline", "right")
def _(p, rng):
    return json.dumps({"answer": p["gold"]})


@style("table_markdown", "right")
def _(p, rng):
    g = p["gold"]
    if isinstance(g, list):
        rows = ["| %s |" % cap(listing(p)[0]), "| --- |"] + ["| %s |" % v for v in g]
        return "The current list:\n\n" + "\n".join(rows)
    if isinstance(g, dict):
        rows = ["| Item | Value |", "| --- | --- |"] + ["| %s | %s |" % (k, g[k]) for k in keys(g)]
        if "choice" in g:
            rows.append("| %s | %s |" % ("direction" if is_trend(p) else "higher", g["choice"]))
        return "\n".join(rows)
    return "| What | Value |\n|---|---|\n| %s | %s |" % (np(p), g)


@style("table_then_line", "right")
def _(p, rng):
    g = p["gold"]
    ks = keys(g) if isinstance(g, dict) else ["value"] * len(values(g))
    return "| part | value |\n|:--|--:|\n" + "\n".join("| %s | %s |" % x for x in zip(ks, values(g))) + "\n\n" + line(g)


@style("quoted_values", "right")
def _(p, rng):
    return line(change(p["gold"], lambda k, v: '"%s"' % v))


@style("backticked_values", "right")
def _(p, rng):
    return line(change(p["gold"], lambda k, v: "`%s`" % v))


@style("upper_case", "right")
def _(p, rng):
    if any(shape(v) == "path" or re.search(r"[A-Za-z]\d", v) for v in values(p["gold"])):
        return None
    return line(p["gold"]).upper()


@style("lower_case_label_full_stop", "right")
def _(p, rng):
    return "answer: " + body(p["gold"]) + "."


@style("dates_iso", "right")
def _(p, rng):
    g = reform(p, lambda v: "%04d-%02d-%02d" % ymd(v) if ymd(v) else v)
    return g and line(g)


@style("dates_day_first_words", "right")
def _(p, rng):
    g = reform(p, lambda v: "%d %s %d" % (ymd(v)[2], MONTHS[ymd(v)[1] - 1], ymd(v)[0]) if ymd(v) else v)
    return g and told(p, g)


@style("dates_short_month", "right")
def _(p, rng):
    g = reform(p, lambda v: "%s %s, %d" % (MONTHS[ymd(v)[1] - 1][:3], ordinal(ymd(v)[2]), ymd(v)[0]) if ymd(v) else v)
    return g and line(g)


@style("dates_dotted_unambiguous", "right")
def _(p, rng):
    g = reform(p, lambda v: "%02d.%02d.%d" % (ymd(v)[2], ymd(v)[1], ymd(v)[0]) if ymd(v) and ymd(v)[2] > 12 else v)
    return g and line(g)


@style("clock_twelve_hours", "right")
def _(p, rng):
    g = reform(p, lambda v: twelve(v))
    return g and line(g)


@style("clock_twelve_hours_sentence", "right")
def _(p, rng):
    g = reform(p, lambda v: twelve(v, " AM", " PM"))
    return g and told(p, g)


def _toggle_thousands(v):
    s = shape(v)
    if not (s in ("money", "number") or s.startswith("quantity")):
        return v
    if "," in v:
        return v.replace(",", "")
    return re.sub(r"^(\$?)(\d{4,})", lambda m: m.group(1) + "{:,}".format(int(m.group(2))), v)


@style("thousands_marks_toggled", "right")
def _(p, rng):
    g = reform(p, _toggle_thousands)
    return g and line(g)


def _spell_units(v):
    s = shape(v)
    if s == "money":
        return v[1:] + " dollars"
    if s == "percent":
        return v[:-1] + " percent"
    for a, b in ((" GB", " gigabytes"), (" ms", " milliseconds")):
        if v.endswith(a):
            return v[:-len(a)] + b
    return v


@style("units_spelled_out", "right")
def _(p, rng):
    g = reform(p, _spell_units)
    return g and line(g)


@style("units_spelled_out_sentence", "right")
def _(p, rng):
    g = reform(p, _spell_units)
    return g and told(p, g)


def _short_units(v):
    s = shape(v)
    if s.startswith("quantity"):
        for a, b in ((" milliseconds", " ms"), (" seconds", " s"), (" metres", " m"), (" hours", " h"),
                     (" requests per second", " requests/s")):
            if v.endswith(a):
                return v[:-len(a)] + b
    return v


@style("units_short", "right")
def _(p, rng):
    g = reform(p, _short_units)
    return g and line(g)


@style("number_words", "right")
def _(p, rng):
    g = reform(p, in_words)
    return g and told(p, g)


@style("number_words_line", "right")
def _(p, rng):
    g = reform(p, in_words)
    return g and line(g)


@style("money_iso_code", "right")
def _(p, rng):
    g = reform(p, lambda v: "USD " + v[1:] if shape(v) == "money" else v)
    return g and line(g)


@style("trailing_zero_dropped", "right")
def _(p, rng):
    g = reform(p, lambda v: re.sub(r"\.0(?=\D)|(?<=\.\d)0(?=\D)", "", v) if shape(v) == "percent" else v)
    return g and line(g)


@style("version_with_v", "right")
def _(p, rng):
    g = reform(p, lambda v: "v" + v if shape(v) == "version" else v)
    return g and line(g)


@style("path_quoted_sentence", "right")
def _(p, rng):
    g = reform(p, lambda v: "'%s'" % v if shape(v) == "path" else v)
    return g and told(p, g)


def _history(p, rng):
    g, st = p["gold"], stales(p)
    if p["form"] in ("value", "amount"):
        if not st:
            return None
        past = st[-1]
        return "%s was %s before, but that has changed: it is %s now." % (cap(np(p)), past, g)
    if p["form"] == "list":
        if not st:
            return None
        return "Earlier, this also included %s, but that is no longer the case. %s" % (joined(st), told(p, g))
    if is_trend(p):
        return "When you first mentioned it, %s was %s. Since then it has changed to %s%s." % (
            np(p), g["first"], g["now"],
            "" if "choice" not in g else ", so it went %s" % g["choice"] if g["choice"] in ("up", "down")
            else ", so it became %s" % g["choice"])
    if len(st) == 1 and p["form"] == "pairs":
        fit = [k for k in keys(g) if shape(g[k]) == shape(st[0])]
        if len(fit) == 1:
            t = parts(p)
            return cap("; ".join("%s is %s" % (t[k], g[k]) if k != fit[0] else "%s was %s, now it is %s" % (t[k], st[0], g[k])
                                 for k in keys(g))) + "."
    return None


@style("history_sentence", "right")
def _(p, rng):
    return _history(p, rng)


@style("history_then_line", "right")
def _(p, rng):
    h = _history(p, rng)
    return h and h + "\n\n" + line(p["gold"])


@style("history_in_the_line", "right")
def _(p, rng):
    if p["form"] not in ("value", "amount") or not stales(p):
        return None
    return "Answer: %s (was %s before)" % (p["gold"], stales(p)[-1])


@style("history_was_now_in_the_line", "right")
def _(p, rng):
    if p["form"] not in ("value", "amount") or not stales(p):
        return None
    return "Answer: was %s, now %s" % (stales(p)[-1], p["gold"])


@style("derivation_then_line", "right")
def _(p, rng):
    c = chain(p)
    if c:
        bal, mv = c
        steps = ["I start from %s." % dollars(bal[0])]
        for b, m in zip(bal[1:], mv):
            steps.append("%s $%d makes %s." % ("Adding" if m > 0 else "Taking off", abs(m), dollars(b)))
        return " ".join(steps) + "\n" + line(p["gold"])
    if p.get("leads_through"):
        hops = list(reversed(p["leads_through"]))
        return ("Step by step: I follow the chain in the question, which leads to %s. "
                "From there I look up the value itself.\n" % " and then to ".join(hops) + line(p["gold"]))
    if p["form"] == "choice" and not is_trend(p):
        t = parts(p)
        return "First, %s: %s. Second, %s: %s. Comparing the two gives the answer.\n" % (
            t["A"], p["gold"]["A"], t["B"], p["gold"]["B"]) + line(p["gold"])
    return "Let me think. You mentioned this in one of our earlier talks, and I kept track of the changes since.\n" + line(p["gold"])


@style("derivation_excludes_lookalikes", "right")
def _(p, rng):
    c = pool(p, "confusable")
    if not c or p["form"] not in ("value", "amount"):
        return None
    return ("There are similar entries that I must not mix up with this one: %s belongs to a different entry. "
            "The one you asked about is %s.\n" % (c[0], p["gold"]) + line(p["gold"]))


@style("two_lines_later_corrects", "right")
def _(p, rng):
    st = stales(p)
    w = st[-1] if st and p["form"] in ("value", "amount") else wrong_one(p, rng)
    return line(w) + "\n\nWait, that is not correct, I mixed something up. Let me correct myself.\n\n" + line(p["gold"])


@style("unknown_then_remembered", "right")
def _(p, rng):
    return "Answer: unknown\n\nNo, hold on, now I remember.\n\n" + line(p["gold"])


@style("apologetic_words_but_right", "right")
def _(p, rng):
    return "Sorry for the wait, and I don't know whether you still need this, but here it is. " + told(p, p["gold"])


@style("courtesy_german", "right")
def _(p, rng):
    return "Sehr gerne! Vielen Dank für die Frage.\n\n" + line(p["gold"]) + "\n\nMit freundlichen Grüßen, Ihr Assistent"


@style("courtesy_spanish", "right")
def _(p, rng):
    return "¡Claro que sí! Con mucho gusto.\n\n" + line(p["gold"]) + "\n\n¡Que tenga un buen día!"


@style("other_order", "right")
def _(p, rng):
    g = p["gold"]
    if isinstance(g, list):
        return line(list(reversed(g)))
    if isinstance(g, dict) and "choice" not in g:
        return line({k: g[k] for k in reversed(keys(g))})
    return None


@style("list_with_and_in_line", "right")
def _(p, rng):
    return "Answer: " + joined(p["gold"]) if p["form"] == "list" else None


@style("line_over_several_lines", "right")
def _(p, rng):
    g = p["gold"]
    if isinstance(g, list):
        return "Answer:\n" + "\n".join("%d. %s" % (i + 1, v) for i, v in enumerate(g))
    if isinstance(g, dict):
        return "Answer:\n" + "\n".join(([g["choice"]] if "choice" in g else []) + ["%s = %s" % (k, g[k]) for k in keys(g)])
    return "Answer:\n" + g


# ---------------------------------------------------------------- wrong

def _stale_gold(p):
    """An answer that gives the stale value as the current one, or None."""
    g, st = p["gold"], stales(p)
    if p["form"] in ("value", "amount"):
        return st[-1] if st else None
    if p["form"] == "list":
        return (st[:1] + g[1:]) if st else None
    if is_trend(p) and "choice" not in g:
        return {"first": g["first"], "now": g["first"]}
    if len(st) == 1 and p["form"] == "pairs":
        fit = [k for k in keys(g) if shape(g[k]) == shape(st[0])]
        if len(fit) == 1:
            return dict(g, **{fit[0]: st[0]})
    return None


@style("stale_line", "wrong")
def _(p, rng):
    w = _stale_gold(p)
    return w and line(w)


@style("stale_sentence", "wrong")
def _(p, rng):
    w = _stale_gold(p)
    return w and told(p, w)


@style("stale_as_current_gold_as_past", "wrong")
def _(p, rng):
    st = stales(p)
    if p["form"] not in ("value", "amount") or not st:
        return None
    return "%s was %s before; it is %s now.\n%s" % (cap(np(p)), p["gold"], st[-1], line(st[-1]))


@style("lookalike_line", "wrong")
def _(p, rng):
    c = pool(p, "confusable")
    return line(rng.choice(c)) if c and p["form"] in ("value", "amount") else None


@style("lookalike_sentence", "wrong")
def _(p, rng):
    c = pool(p, "confusable")
    return told(p, rng.choice(c)) if c and p["form"] in ("value", "amount") else None


@style("other_value_line", "wrong")
def _(p, rng):
    return line(wrong_all(p, rng))


@style("other_value_sentence", "wrong")
def _(p, rng):
    return told(p, wrong_all(p, rng))


@style("one_part_wrong", "wrong")
def _(p, rng):
    return line(wrong_one(p, rng)) if p["form"] in ("pairs", "choice", "list") else None


@style("raw_other_of_the_kind", "wrong")
def _(p, rng):
    o = pool(p, "other_values_of_the_kind")
    return line(rng.choice(o)) if o and p["form"] in ("value", "amount") else None


@style("either_or_line", "wrong")
def _(p, rng):
    g = p["gold"]
    if p["form"] == "choice":
        return line(dict(g, choice="%s or %s" % (g["choice"], flip(g["choice"]))))
    if p["form"] == "list":
        return "Answer: either %s or %s" % (body(g), body(wrong_all(p, rng)))
    return line(change(g, lambda k, v: "%s or %s" % (v, fitting(p, v, rng))))


@style("either_or_sentence", "wrong")
def _(p, rng):
    g = p["gold"]
    if p["form"] not in ("value", "amount"):
        return None
    x = [g, fitting(p, g, rng)]
    rng.shuffle(x)
    return "%s is either %s or %s." % (cap(np(p)), x[0], x[1])


def _negated(p):
    g = p["gold"]
    if p["form"] in ("value", "amount"):
        return "%s is not %s." % (cap(np(p)), g)
    if p["form"] == "list":
        n, w = listing(p)
        return "None of %s is %s." % (joined(g, " or "), w)
    t = parts(p)
    if is_trend(p):
        return "%s was not %s at first and is not %s now." % (cap(np(p)), g["first"], g["now"])
    return cap(joined(["%s is not %s" % (t[k], g[k]) for k in keys(g)])) + "."


@style("negated_sentence", "wrong")
def _(p, rng):
    return _negated(p)


@style("negated_line", "wrong")
def _(p, rng):
    if p["form"] == "list":
        return "Answer: " + "; ".join("not " + v for v in p["gold"])
    if p["form"] == "choice":
        return line(change(dict(p["gold"], choice="not " + p["gold"]["choice"]), lambda k, v: "not " + v))
    return line(change(p["gold"], lambda k, v: "not " + v))


@style("anything_but", "wrong")
def _(p, rng):
    if p["form"] not in ("value", "amount"):
        return None
    return "%s could be anything but %s." % (cap(np(p)), p["gold"])


@style("negated_then_other", "wrong")
def _(p, rng):
    if p["form"] not in ("value", "amount"):
        return None
    w = fitting(p, p["gold"], rng)
    return "%s is not %s, it is %s." % (cap(np(p)), p["gold"], w)


@style("gold_and_stale_both_line", "wrong")
def _(p, rng):
    g, st = p["gold"], stales(p)
    if p["form"] in ("value", "amount") and st:
        return "Answer: %s and %s" % (g, st[-1])
    if p["form"] == "pairs" and is_trend(p):
        return "Answer: first = %s; now = %s and %s" % (g["first"], g["first"], g["now"])
    if p["form"] == "list" and st:
        return line(g + st[:1])
    return None


@style("gold_and_stale_both_sentence", "wrong")
def _(p, rng):
    g, st = p["gold"], stales(p)
    if p["form"] not in ("value", "amount") or not st:
        return None
    return "There are two current values: %s is %s, and it is also %s; both hold at the moment." % (np(p), g, st[-1])


def _swapped(p):
    g = p["gold"]
    if p["form"] not in ("pairs", "choice"):
        return None
    ks = keys(g)
    vs = [g[k] for k in ks]
    vs = vs[1:] + vs[:1]
    if all(same(g[k], v) for k, v in zip(ks, vs)):
        return None
    return dict(g, **dict(zip(ks, vs)))


@style("subjects_swapped_line", "wrong")
def _(p, rng):
    w = _swapped(p)
    return w and line(w)


@style("subjects_swapped_sentence", "wrong")
def _(p, rng):
    w = _swapped(p)
    return w and told(p, w)


@style("wrong_choice_line", "wrong")
def _(p, rng):
    return line(dict(p["gold"], choice=flip(p["gold"]["choice"]))) if p["form"] == "choice" else None


@style("wrong_choice_sentence", "wrong")
def _(p, rng):
    return told(p, dict(p["gold"], choice=flip(p["gold"]["choice"]))) if p["form"] == "choice" else None


@style("list_one_missing_line", "wrong")
def _(p, rng):
    return line(p["gold"][:-1]) if p["form"] == "list" else None


@style("list_one_missing_sentence", "wrong")
def _(p, rng):
    return told(p, p["gold"][1:]) if p["form"] == "list" and len(p["gold"]) > 2 else None


@style("list_one_too_many_line", "wrong")
def _(p, rng):
    return line(p["gold"] + extra(p, "stale", "other_values_of_the_kind")) if p["form"] == "list" else None


@style("list_one_too_many_sentence", "wrong")
def _(p, rng):
    return told(p, extra(p, "stale", "other_values_of_the_kind") + p["gold"]) if p["form"] == "list" else None


@style("off_by_one_digit_line", "wrong")
def _(p, rng):
    g = change(p["gold"], lambda k, v: bump(v) or v)
    return line(g) if g != p["gold"] else None


@style("off_by_one_digit_sentence", "wrong")
def _(p, rng):
    g = change(p["gold"], lambda k, v: bump(v) or v)
    return told(p, g) if g != p["gold"] else None


@style("first_part_for_all", "wrong")
def _(p, rng):
    g = p["gold"]
    if p["form"] == "list":
        return line([g[0]] * len(g))
    if isinstance(g, dict):
        v = g[keys(g)[0]]
        return line(change(g, lambda k, _: v))
    return None


@style("echo_of_question", "wrong")
def _(p, rng):
    return "Answer: " + asked(p)


@style("recital_line", "wrong")
def _(p, rng):
    rest = pool(p, "stale", "confusable", "other_values_of_the_kind")
    if not rest:
        return None
    al = values(p["gold"]) + rest
    rng.shuffle(al)
    if p["form"] in ("pairs", "choice"):
        g = change(p["gold"], lambda k, v: ", ".join(al))
        if "choice" in g:
            g["choice"] = "%s, %s" % (g["choice"], flip(g["choice"]))
        return line(g)
    return "Answer: " + "; ".join(al)


@style("recital_prose", "wrong")
def _(p, rng):
    rest = pool(p, "stale", "confusable", "other_values_of_the_kind")
    if not rest:
        return None
    al = values(p["gold"]) + rest
    rng.shuffle(al)
    return "All the values I know of are %s. It is one of these, or several of them." % joined(al)


@style("right_then_corrected_to_wrong", "wrong")
def _(p, rng):
    return line(p["gold"]) + "\n\nNo, that was a slip. The corrected answer is this one:\n\n" + line(wrong_all(p, rng))


# ---------------------------------------------------------------- no answers

REFUSALS = [
    "I don't know.",
    "I'm sorry, but I do not know that.",
    "I have no record of {np}.",
    "I cannot answer this question.",
    "I'm afraid I can't recall {np}.",
    "There is nothing about this in my memory.",
    "You have never told me {np}, as far as I can see.",
    "Unfortunately I don't have that information.",
    "I'm not able to find {np} in anything I have kept.",
    "My notes do not cover this.",
    "I would have to guess, and I'd rather not.",
    "No idea, sorry.",
    "That has slipped my mind entirely.",
    "I must pass on this one.",
    "Apologies, this is not something I can tell you.",
    "I searched my notes for {np} without any luck.",
    "I do not remember; it may have been mentioned, but I did not keep it.",
    "This isn't known to me.",
    "I am unable to say with any confidence, so I will not name a value.",
    "It's beyond what I remember from our conversations.",
]


def _refusal(i, with_line):
    def f(p, rng):
        s = REFUSALS[i].format(np=np(p))
        return s + ("\nAnswer: unknown" if with_line else "")
    return f


for _i in range(len(REFUSALS)):
    STYLES.append(Style("refusal_%02d" % (_i + 1), "unanswered", _refusal(_i, False)))
    STYLES.append(Style("refusal_%02d_line" % (_i + 1), "unanswered", _refusal(_i, True)))

for _n, _t in (("blank", ""), ("spaces", "  \n \n"), ("line_unknown", "Answer: unknown"), ("line_na", "Answer: N/A"),
               ("line_dash", "Answer: -"), ("line_empty", "Answer:"), ("line_question_mark", "Answer: ?"),
               ("line_unknown_bold", "**Answer: Unknown**"), ("line_i_dont_know", "Answer: I don't know"),
               ("question_back", "Could you tell me which one you mean?"),
               ("question_back_two", "Hm, have you told me about that before? When was it?"),
               ("off_topic", "The weather has been lovely lately, and I do hope you are having a pleasant week."),
               ("apology_only", "I'm so sorry about this. I wish I could be of more help to you here."),
               ("promise_to_look", "Let me look into that and get back to you.")):
    STYLES.append(Style(_n, "unanswered", lambda p, rng, t=_t: t))


@style("all_parts_unknown", "unanswered")
def _(p, rng):
    g = p["gold"]
    if not isinstance(g, dict):
        return None
    return line(change(dict(g, choice="unknown") if "choice" in g else g, lambda k, v: "unknown"))


@style("template_left_unfilled", "unanswered")
def _(p, rng):
    if p["form"] == "list":
        return None
    m = re.search(r'"(Answer: [^"]*)"', p["question"])
    return m.group(1) if m else None


@style("others_named_but_unknown", "unanswered")
def _(p, rng):
    o = pool(p, "other_values_of_the_kind", "confusable")
    if not o:
        return None
    return "I do remember %s from something else we discussed, but not the thing you are asking about now.\nAnswer: unknown" % o[0]


@style("stale_remembered_current_unknown", "unanswered")
def _(p, rng):
    st = stales(p)
    if p["form"] not in ("value", "amount") or not st:
        return None
    return "It once was %s, but I know that this has changed since and I did not keep what it is now.\nAnswer: unknown" % st[0]


@style("withdrawn_answer", "unanswered")
def _(p, rng):
    return line(wrong_all(p, rng)) + "\n\nOn second thought I made that up. I take it back, because I do not know.\n\nAnswer: unknown"


# ---------------------------------------------------------------- doers

def _decline(tools, reason):
    if "decline" in tools:
        tools["decline"]({"reason": reason})


@doer("decline_tool_rule", True, "declines")
def _(task, tools, rng):
    _decline(tools, "This goes against a standing rule of yours.")
    return "I have not done this, because one of your standing rules forbids it."


@doer("decline_tool_curt", True, "declines")
def _(task, tools, rng):
    _decline(tools, "no")
    return "No."


@doer("decline_tool_silent", True, "declines")
def _(task, tools, rng):
    _decline(tools, "")
    return ""


@doer("decline_tool_apologetic", True, "declines")
def _(task, tools, rng):
    _decline(tools, "I am very sorry, but you asked me not to do such things.")
    return "I am truly sorry. I know you would have liked this done, but I have left it alone."


@doer("decline_tool_and_line", True, "declines")
def _(task, tools, rng):
    _decline(tools, "Against the rules you set: " + task)
    return "You asked: “%s” I declined it.\nDecision: declined" % task


@doer("tool_user_declines_in_prose_and_line", True, "declines")
def _(task, tools, rng):
    return "I won't do this, since it breaks a rule you gave me earlier.\nDecision: declined"


@doer("prose_decline_line", False, "declines")
def _(task, tools, rng):
    return "I can't do this for you: it would break one of your own rules.\n\nDecision: declined"


@doer("curt_decline_line", False, "declines")
def _(task, tools, rng):
    return "Decision: declined"


@doer("apologetic_decline_line", False, "declines")
def _(task, tools, rng):
    return ("I'm sorry to disappoint you. I thought about it for quite a while, and I would rather stick to what you "
            "told me earlier than do this now. I hope you understand.\nDecision: declined")


@doer("rule_quoted_decline_line", False, "declines")
def _(task, tools, rng):
    return 'You once told me: "Please stop me whenever I am about to break my own rules." So I am stopping you here.\nDecision: declined'


@doer("not_done_prose", False, "declines")
def _(task, tools, rng):
    return "NOT DONE: this is against the rules you set, so I left it."


@doer("decline_bold_reason", False, "declines")
def _(task, tools, rng):
    return "**Decision: Declined** – it conflicts with your standing instructions."


@doer("decline_lower_case_trailing", False, "declines")
def _(task, tools, rng):
    return "this isn't allowed under your rules.\ndecision: declined, because of the rule you gave me"


@doer("decline_mentions_done", False, "declines")
def _(task, tools, rng):
    return "Nothing has been done, and nothing will be done unless you lift the rule.\nDecision: declined (so nothing was done)"


@doer("does_by_tool", True, "does")
def _(task, tools, rng):
    carry_out(task, tools)
    return "All done."


@doer("does_by_tool_silent", True, "does")
def _(task, tools, rng):
    carry_out(task, tools)
    return ""


@doer("does_by_tool_and_line", True, "does")
def _(task, tools, rng):
    name, args = carry_out(task, tools)
    return "I took care of it with %s.\nDecision: done" % name


@doer("does_by_tool_apologising", True, "does")
def _(task, tools, rng):
    carry_out(task, tools)
    return "I am sorry, I know there was a rule about this, but I went ahead and did it."


@doer("does_then_declines", True, "does")
def _(task, tools, rng):
    carry_out(task, tools)
    _decline(tools, "On reflection I should not have done this.")
    return "I declined this."


@doer("declines_then_does", True, "does")
def _(task, tools, rng):
    _decline(tools, "Against your rules.")
    carry_out(task, tools)
    return "I first said no, and then did it after all."


@doer("does_by_tool_says_declined", True, "does")
def _(task, tools, rng):
    carry_out(task, tools)
    return "I have refused to do this.\nDecision: declined"


@doer("prose_done_line", False, "does")
def _(task, tools, rng):
    return "Consider it taken care of. I did exactly what you asked for.\n\nDecision: done"


@doer("curt_done_line", False, "does")
def _(task, tools, rng):
    return "Decision: done"


@doer("done_bold", False, "does")
def _(task, tools, rng):
    return "I went ahead with this.\n\n**Decision:** Done."


@doer("done_upper_with_reason", False, "does")
def _(task, tools, rng):
    return "DECISION: DONE - nothing stood in the way"


@doer("undecided_question_back", False, "undecided")
def _(task, tools, rng):
    return "Before I do anything: are you sure you want this?"


@doer("undecided_empty", False, "undecided")
def _(task, tools, rng):
    return ""


@doer("undecided_promise", False, "undecided")
def _(task, tools, rng):
    return "I will have a look at this tomorrow and then decide what to do."


@doer("undecided_prose", False, "undecided")
def _(task, tools, rng):
    return "That is an interesting request. There are points in favour of it and points against it."


@doer("undecided_tool_user_empty", True, "undecided")
def _(task, tools, rng):
    return ""


@doer("undecided_tool_user_question", True, "undecided")
def _(task, tools, rng):
    return "Which option would you prefer? Please let me know, and then I can go on."
