"""Agents that attack the scorer, set 2: how they answer and act, and what that is worth. See README.md."""
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


# ---------------------------------------------------------------- set 2: sentences

_COUNT = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_MOVED = {"up": "has increased, from %s to %s", "down": "has decreased, from %s to %s",
          "later": "was put off to a later date, from %s to %s", "earlier": "was brought forward to an earlier date, from %s to %s"}


def plain(p, g):
    """Another natural sentence that answers with g, close to how people talk."""
    if p["form"] == "list":
        return "Right now there are %s: %s." % (_COUNT.get(len(g), len(g)), joined(g, ", and " if len(g) > 2 else " and "))
    if isinstance(g, dict):
        if is_trend(p):
            if "choice" in g:
                s = "It " if g["choice"] in ("up", "down") else "The date "
                return s + _MOVED[g["choice"]] % (g["first"], g["now"]) + "."
            return "It started out as %s, and today it is %s." % (g["first"], g["now"])
        if "choice" in g:
            hi, lo = g["choice"], flip(g["choice"])
            return "(%s) is the higher one with %s, whereas (%s) has %s." % (hi, g[hi], lo, g[lo])
        return joined(["%s is %s" % (k, g[k]) for k in keys(g)], ", and ") + "."
    return "%s – that is %s." % (g, np(p))


def inline(p, g):
    """g without an answer label, within a sentence."""
    if p["form"] == "list":
        return joined(g)
    if isinstance(g, dict):
        s = ", ".join("%s: %s" % (k, g[k]) for k in keys(g))
        return "%s (%s)" % (g["choice"], s) if "choice" in g else s
    return g


def rewritten(p, f):
    g = change(p["gold"], lambda k, v: f(v))
    return None if g == p["gold"] else g


def single(p):
    return p["form"] in ("value", "amount")


# ---------------------------------------------------------------- right

@style("b_talk", "right")
def _(p, rng):
    return plain(p, p["gold"])


@style("b_final_answer_label", "right")
def _(p, rng):
    return "I checked twice.\n\nFinal answer: " + body(p["gold"])


@style("b_the_answer_is", "right")
def _(p, rng):
    return "The answer is: " + body(p["gold"])


@style("b_email", "right")
def _(p, rng):
    return "Hello,\n\nthank you for your message. %s\n\nKind regards\nYour assistant" % plain(p, p["gold"])


@style("b_email_with_line", "right")
def _(p, rng):
    return "Hello,\n\nhere is what you wanted to know.\n\n%s\n\nKind regards\nYour assistant" % line(p["gold"])


@style("b_yaml", "right")
def _(p, rng):
    g = p["gold"]
    if isinstance(g, list):
        return "```yaml\nanswer:\n" + "\n".join("  - %s" % v for v in g) + "\n```"
    if isinstance(g, dict):
        return "```yaml\nanswer:\n" + "\n".join('  %s: "%s"' % (k, v) for k, v in g.items()) + "\n```"
    return '```yaml\nanswer: "%s"\n```' % g


@style("b_xml", "right")
def _(p, rng):
    g = p["gold"]
    if isinstance(g, list):
        return "<answer>" + "".join("<item>%s</item>" % v for v in g) + "</answer>"
    if isinstance(g, dict):
        return "<answer>" + "".join("<%s>%s</%s>" % (k, v, k) for k, v in g.items()) + "</answer>"
    return "<answer>%s</answer>" % g


@style("b_html", "right")
def _(p, rng):
    return "<p><b>Answer:</b> %s</p>" % body(p["gold"])


@style("b_boxed", "right")
def _(p, rng):
    return r"The result is \boxed{%s}." % re.sub(r"([$%])", r"\\\1", p["gold"]) if single(p) and shape(p["gold"]) != "path" else None


@style("b_json_with_question", "right")
def _(p, rng):
    return json.dumps({"question": asked(p), "answer": p["gold"], "source": "memory"}, ensure_ascii=False)


@style("b_json_then_line", "right")
def _(p, rng):
    return json.dumps({"result": p["gold"]}, indent=1) + "\n\n" + line(p["gold"])


@style("b_tsv", "right")
def _(p, rng):
    g = p["gold"]
    if isinstance(g, dict):
        return "```\n" + "\n".join("%s\t%s" % (k, v) for k, v in g.items()) + "\n```"
    return None if isinstance(g, list) else "```\n%s\t%s\n```" % (np(p), g)


@style("b_table_by_subject", "right")
def _(p, rng):
    g, t = p["gold"], parts(p)
    if not isinstance(g, dict) or not t:
        return None
    rows = ["| | What | Value |", "|---|---|---|"] + ["| %s | %s | %s |" % (k, t[k], g[k]) for k in keys(g)]
    return "\n".join(rows) + ("\n\nHigher: %s" % g["choice"] if "choice" in g else "")


@style("b_thinking_tags", "right")
def _(p, rng):
    w = wrong_one(p, rng)
    return "<think>My first thought was %s, but that belongs to something else.</think>\n%s" % (inline(p, w), line(p["gold"]))


@style("b_q_and_a", "right")
def _(p, rng):
    return "Q: %s\nA: %s" % (asked(p), body(p["gold"])) if p["form"] in ("value", "amount", "list") else None


@style("b_question_quoted_first", "right")
def _(p, rng):
    return "> %s\n\n%s" % (asked(p), line(p["gold"]))


@style("b_whole_prompt_repeated_first", "right")
def _(p, rng):
    return "You asked: %s\n\n%s" % (p["question"], line(p["gold"]))


@style("b_session_cited", "right")
def _(p, rng):
    return line(p["gold"]) + " (you told me in session 3)"


@style("b_confidence_after", "right")
def _(p, rng):
    return line(p["gold"]) + "\nConfidence: 90%"


@style("b_tick_mark", "right")
def _(p, rng):
    return line(p["gold"]) + " ✅"


@style("b_line_first_reason_after", "right")
def _(p, rng):
    return line(p["gold"]) + "\n\nI take this from what you have told me over time."


@style("b_line_first_lookalike_after", "right")
def _(p, rng):
    c = pool(p, "confusable", "other_values_of_the_kind")
    return line(p["gold"]) + "\n\nPlease do not confuse this with %s, which belongs to something else." % c[0] if c and single(p) else None


@style("b_line_twice", "right")
def _(p, rng):
    return line(p["gold"]) + "\n\nTo repeat it:\n\n" + line(p["gold"])


@style("b_spaces_everywhere", "right")
def _(p, rng):
    return "\n\n   Answer :   " + body(p["gold"]) + "   \n\n"


@style("b_colons_for_equals", "right")
def _(p, rng):
    g = p["gold"]
    if not isinstance(g, dict):
        return None
    return "Answer: " + "; ".join(([g["choice"]] if "choice" in g else []) + ["%s: %s" % (k, g[k]) for k in keys(g)])


@style("b_choice_with_values_in_brackets", "right")
def _(p, rng):
    g = p["gold"]
    return "Answer: %s (%s)" % (g["choice"], "; ".join("%s = %s" % (k, g[k]) for k in keys(g))) if p["form"] == "choice" else None


@style("b_letters_in_prose", "right")
def _(p, rng):
    g, t = p["gold"], parts(p)
    if not isinstance(g, dict) or not t:
        return None
    s = " ".join("(%s) %s: %s." % (k, cap(t[k]), g[k]) for k in keys(g))
    return s + (" So %s is higher." % g["choice"] if "choice" in g else "")


@style("b_list_numbered_then_line", "right")
def _(p, rng):
    g = p["gold"]
    return "\n".join("%d) %s" % (i + 1, v) for i, v in enumerate(g)) + "\n\n" + line(g) if p["form"] == "list" else None


@style("b_list_commas_in_line", "right")
def _(p, rng):
    return "Answer: " + ", ".join(p["gold"]) if p["form"] == "list" else None


@style("b_list_reordered_prose", "right")
def _(p, rng):
    return plain(p, p["gold"][1:] + p["gold"][:1]) if p["form"] == "list" else None


@style("b_not_that_but_this", "right")
def _(p, rng):
    return "%s isn't %s, it's %s." % (cap(np(p)), fitting(p, p["gold"], rng), p["gold"]) if single(p) else None


@style("b_corrects_in_mid_sentence", "right")
def _(p, rng):
    return "It's %s – no, sorry, I misspoke: it's %s." % (fitting(p, p["gold"], rng), p["gold"]) if single(p) else None


@style("b_line_corrected_by_correction", "right")
def _(p, rng):
    return line(wrong_all(p, rng)) + "\nCorrection, I read the wrong entry.\n" + line(p["gold"])


@style("b_smalltalk_with_no_and_not", "right")
def _(p, rng):
    return "No problem at all, this is not a hard one, and I can't see why I'd forget it.\n" + line(p["gold"])


def _dated(f):
    return lambda v: f(*ymd(v)) if ymd(v) else v


@style("b_date_with_weekday", "right")
def _(p, rng):
    g = rewritten(p, _dated(lambda y, m, d: "%s, %d %s %d" % (datetime.date(y, m, d).strftime("%A"), d, MONTHS[m - 1], y)))
    return g and line(g)


@style("b_date_the_nth_of", "right")
def _(p, rng):
    g = rewritten(p, _dated(lambda y, m, d: "the %s of %s %d" % (ordinal(d), MONTHS[m - 1], y)))
    return g and line(g)


@style("b_date_slashes_year_first", "right")
def _(p, rng):
    g = rewritten(p, _dated(lambda y, m, d: "%04d/%02d/%02d" % (y, m, d)))
    return g and line(g)


@style("b_date_us_slashes_unambiguous", "right")
def _(p, rng):
    g = rewritten(p, lambda v: "%02d/%02d/%04d" % (ymd(v)[1], ymd(v)[2], ymd(v)[0]) if ymd(v) and ymd(v)[2] > 12 else v)
    return g and line(g)


@style("b_date_abbreviated_dash", "right")
def _(p, rng):
    g = rewritten(p, _dated(lambda y, m, d: "%02d-%s-%d" % (d, MONTHS[m - 1][:3], y)))
    return g and line(g)


@style("b_date_no_comma", "right")
def _(p, rng):
    g = rewritten(p, lambda v: v.replace(",", "") if ymd(v) else v)
    return g and line(g)


@style("b_clock_part_of_day", "right")
def _(p, rng):
    def f(v):
        m = _CLOCK.match(v)
        if not m or not 1 <= int(m.group(1)) < 17 or int(m.group(1)) == 12:
            return v
        return twelve(v, " in the morning", " in the afternoon")
    g = rewritten(p, f)
    return g and plain(p, g)


@style("b_clock_compact_am", "right")
def _(p, rng):
    g = rewritten(p, lambda v: twelve(v, "am", "pm"))
    return g and line(g)


@style("b_clock_hours", "right")
def _(p, rng):
    g = rewritten(p, lambda v: v + " hours" if shape(v) == "clock" else v)
    return g and line(g)


@style("b_money_cents", "right")
def _(p, rng):
    g = rewritten(p, lambda v: v + ".00" if shape(v) == "money" and "." not in v else v)
    return g and line(g)


@style("b_money_code_behind", "right")
def _(p, rng):
    g = rewritten(p, lambda v: v[1:].replace(",", "") + " USD" if shape(v) == "money" else v)
    return g and line(g)


@style("b_money_us_dollars_sentence", "right")
def _(p, rng):
    g = rewritten(p, lambda v: v[1:] + " US dollars" if shape(v) == "money" else v)
    return g and plain(p, g)


@style("b_percent_per_cent", "right")
def _(p, rng):
    g = rewritten(p, lambda v: v[:-1] + " per cent" if shape(v) == "percent" else v)
    return g and line(g)


@style("b_percent_spaced", "right")
def _(p, rng):
    g = rewritten(p, lambda v: v[:-1] + " %" if shape(v) == "percent" else v)
    return g and line(g)


@style("b_thousands_spaced", "right")
def _(p, rng):
    def f(v):
        s = shape(v)
        if not (s in ("number", "money") or s.startswith("quantity")):
            return v
        return re.sub(r"\d[\d,]{3,}", lambda m: "{:,}".format(int(m.group(0).replace(",", ""))).replace(",", "\u00a0"), v, count=1)
    g = rewritten(p, f)
    return g and line(g)


@style("b_units_converted_exactly", "right")
def _(p, rng):
    def f(v):
        m = _QUANTITY.match(v)
        if m and m.group(2) == "metres" and "." not in m.group(1):
            n = int(m.group(1).replace(",", ""))
            return "%d.%03d km" % (n // 1000, n % 1000)
        return v
    g = rewritten(p, f)
    return g and line(g)


@style("b_number_words_american", "right")
def _(p, rng):
    g = rewritten(p, lambda v: in_words(v, " ") if "." not in v else v)
    return g and line(g)


@style("b_version_word", "right")
def _(p, rng):
    g = rewritten(p, lambda v: "version " + v if shape(v) == "version" else v)
    return g and line(g)


@style("b_path_in_double_quotes", "right")
def _(p, rng):
    return 'The file is "%s".' % p["gold"] if single(p) and shape(p["gold"]) == "path" else None


@style("b_surname_first", "right")
def _(p, rng):
    if p["form"] != "value" or not asked(p).startswith("Who ") or not _PERSON.match(p["gold"]):
        return None
    a, b = p["gold"].split()
    return "Answer: %s, %s" % (b, a)


@style("b_history_formerly", "right")
def _(p, rng):
    return "Answer: %s (formerly %s)" % (p["gold"], stales(p)[-1]) if single(p) and stales(p) else None


@style("b_history_no_longer", "right")
def _(p, rng):
    if not single(p) or not stales(p):
        return None
    return "%s is no longer %s but %s." % (cap(np(p)), stales(p)[-1], p["gold"])


@style("b_history_whole", "right")
def _(p, rng):
    st = stales(p)
    if not single(p) or not st:
        return None
    return "It has changed over time: first it was %s, and in the end it became %s, which still holds today." % (
        ", then ".join(st), p["gold"])


@style("b_history_changed_from", "right")
def _(p, rng):
    return "Answer: %s, changed from %s" % (p["gold"], stales(p)[-1]) if single(p) and stales(p) else None


@style("b_history_struck_out", "right")
def _(p, rng):
    return "Answer: ~~%s~~ %s" % (stales(p)[-1], p["gold"]) if single(p) and stales(p) else None


@style("b_history_list_removed_after", "right")
def _(p, rng):
    if p["form"] != "list" or not stales(p):
        return None
    return plain(p, p["gold"]) + " I left out %s, as you had me take that off a while ago." % joined(stales(p))


@style("b_sum_written_out", "right")
def _(p, rng):
    c = chain(p)
    if not c:
        return None
    bal, mv = c
    return "%d %s = %d\n%s" % (bal[0], " ".join("%s %d" % ("+" if m > 0 else "-", abs(m)) for m in mv), bal[-1], line(p["gold"]))


@style("b_hops_named", "right")
def _(p, rng):
    h = p.get("leads_through")
    return "I got there by way of %s. %s" % (joined(list(reversed(h))), plain(p, p["gold"])) if h else None


@style("b_german_around", "right")
def _(p, rng):
    return "Guten Tag! Das habe ich mir gemerkt. Die Antwort lautet:\n\n%s\n\nHaben Sie sonst noch einen Wunsch?" % line(p["gold"])


@style("b_german_label", "right")
def _(p, rng):
    return "Antwort: " + body(p["gold"])


@style("b_spanish_around", "right")
def _(p, rng):
    return "Buenos días. Lo recuerdo muy bien, aquí lo tiene:\n\n%s\n\nUn saludo cordial." % line(p["gold"])


@style("b_spanish_label", "right")
def _(p, rng):
    return "Por supuesto.\nRespuesta: " + body(p["gold"])


# ---------------------------------------------------------------- wrong

@style("b_still_the_old_one", "wrong")
def _(p, rng):
    return "It is still %s." % stales(p)[0] if single(p) and stales(p) else None


@style("b_never_changed", "wrong")
def _(p, rng):
    return "%s has always been %s and has never changed.\nAnswer: %s" % (cap(np(p)), stales(p)[0], stales(p)[0]) if single(p) and stales(p) else None


@style("b_json_current_is_stale", "wrong")
def _(p, rng):
    return json.dumps({"previous": p["gold"], "current": stales(p)[-1]}) if single(p) and stales(p) else None


@style("b_update_reverted", "wrong")
def _(p, rng):
    st = stales(p)
    return "For a while it was %s, but then it went back to %s, and that is where it stands." % (p["gold"], st[-1]) if single(p) and st else None


@style("b_lookalike_table", "wrong")
def _(p, rng):
    c = pool(p, "confusable")
    return "| What | Value |\n|---|---|\n| %s | %s |" % (np(p), rng.choice(c)) if c and single(p) else None


@style("b_lookalike_bold", "wrong")
def _(p, rng):
    c = pool(p, "confusable")
    return "Sure thing!\n\n**Answer: %s**" % rng.choice(c) if c and single(p) else None


@style("b_other_talk", "wrong")
def _(p, rng):
    return plain(p, wrong_all(p, rng))


@style("b_other_json", "wrong")
def _(p, rng):
    return json.dumps({"answer": wrong_all(p, rng)})


@style("b_other_bold_in_email", "wrong")
def _(p, rng):
    return "Hello,\n\nI hope this helps.\n\n**%s**\n\nKind regards" % line(wrong_all(p, rng))


@style("b_made_up", "wrong")
def _(p, rng):
    g = change(p["gold"], lambda k, v: madeup(v) if shape(v) in ("name", "path") else v)
    if g == p["gold"]:
        return None
    if isinstance(g, list):
        g = g[:1] + p["gold"][1:]
    return line(g)


@style("b_one_part_wrong_talk", "wrong")
def _(p, rng):
    return None if single(p) else plain(p, wrong_one(p, rng))


@style("b_slash_two", "wrong")
def _(p, rng):
    return "Answer: %s / %s" % (p["gold"], fitting(p, p["gold"], rng)) if single(p) else None


@style("b_one_or_the_other", "wrong")
def _(p, rng):
    return "Answer: It is one of two values, %s or %s." % (fitting(p, p["gold"], rng), p["gold"]) if single(p) else None


@style("b_may_also_be", "wrong")
def _(p, rng):
    return "It may be %s, but it may just as well be %s." % (p["gold"], fitting(p, p["gold"], rng)) if single(p) else None


@style("b_whatever_but_not", "wrong")
def _(p, rng):
    return "Whatever it is, it certainly isn't %s." % p["gold"] if single(p) else None


@style("b_would_be_incorrect", "wrong")
def _(p, rng):
    return "Answer: %s would be incorrect" % p["gold"] if single(p) else None


@style("b_anything_except", "wrong")
def _(p, rng):
    return "Answer: anything except %s" % inline(p, p["gold"]) if single(p) or p["form"] == "list" else None


@style("b_it_is_false_that", "wrong")
def _(p, rng):
    g = p["gold"]
    if single(p):
        return "It is false that %s is %s." % (np(p), g)
    if p["form"] == "list":
        return "It is false that %s are %s." % (np(p), joined(g))
    return None


@style("b_both_at_once", "wrong")
def _(p, rng):
    return "Answer: both %s and %s, as of today" % (stales(p)[-1], p["gold"]) if single(p) and stales(p) else None


@style("b_two_current_bullets", "wrong")
def _(p, rng):
    st = stales(p)
    return "Currently valid, both of them:\n- %s\n- %s" % (p["gold"], st[-1]) if single(p) and st else None


@style("b_letters_swapped_talk", "wrong")
def _(p, rng):
    g = p["gold"]
    if not isinstance(g, dict) or is_trend(p):
        return None
    ks = keys(g)
    return plain(p, dict(g, **{k: g[ks[i - 1]] for i, k in enumerate(ks)}))


@style("b_first_and_now_swapped", "wrong")
def _(p, rng):
    g = p["gold"]
    if not is_trend(p):
        return None
    w = dict(g, first=g["now"], now=g["first"])
    if "choice" in g:
        w["choice"] = flip(g["choice"])
    return plain(p, w)


@style("b_wrong_choice_talk", "wrong")
def _(p, rng):
    return plain(p, dict(p["gold"], choice=flip(p["gold"]["choice"]))) if p["form"] == "choice" else None


@style("b_wrong_choice_json", "wrong")
def _(p, rng):
    return json.dumps(dict(p["gold"], choice=flip(p["gold"]["choice"]))) if p["form"] == "choice" else None


@style("b_choice_equal", "wrong")
def _(p, rng):
    g = p["gold"]
    if p["form"] != "choice":
        return None
    return line(dict(g, choice="unchanged" if is_trend(p) else "equal"))


@style("b_choice_both", "wrong")
def _(p, rng):
    g = p["gold"]
    return line(dict(g, choice="both A and B")) if p["form"] == "choice" and not is_trend(p) else None


@style("b_list_missing_json", "wrong")
def _(p, rng):
    return json.dumps({"answer": p["gold"][1:]}) if p["form"] == "list" else None


@style("b_list_missing_bullets", "wrong")
def _(p, rng):
    return "That would be:\n" + "\n".join("* " + v for v in p["gold"][:-1]) if p["form"] == "list" else None


@style("b_list_missing_one_doubled", "wrong")
def _(p, rng):
    return line(p["gold"][:-1] + p["gold"][:1]) if p["form"] == "list" else None


@style("b_list_too_many_bullets", "wrong")
def _(p, rng):
    return "All of these:\n" + "\n".join("* " + v for v in p["gold"] + extra(p, "other_values_of_the_kind", "stale")) if p["form"] == "list" else None


@style("b_list_stale_kept_talk", "wrong")
def _(p, rng):
    return plain(p, p["gold"] + stales(p)) if p["form"] == "list" and stales(p) else None


@style("b_last_digits_swapped", "wrong")
def _(p, rng):
    def f(v):
        if shape(v) not in ("number", "money"):
            return v
        return v[:-2] + v[-1] + v[-2] if len(v) > 1 and v[-2:].isdigit() and v[-1] != v[-2] else v
    g = rewritten(p, f)
    return g and line(g)


@style("b_ten_times", "wrong")
def _(p, rng):
    g = rewritten(p, lambda v: re.sub(r"[\d,]+", lambda m: "{:,}".format(int(m.group(0).replace(",", "")) * 10), v, count=1)
                  if shape(v) in ("number", "money") and "." not in v else v)
    return g and line(g)


@style("b_other_unit", "wrong")
def _(p, rng):
    def f(v):
        s = shape(v)
        if s == "money":
            return v[1:] + " euros"
        if s == "percent":
            return v[:-1] + " kilometres"
        if s.startswith("quantity"):
            return _QUANTITY.match(v).group(1) + (" kilograms" if "kilo" not in v else " litres")
        return v
    g = rewritten(p, f)
    return g and line(g)


@style("b_other_half_of_the_day", "wrong")
def _(p, rng):
    g = rewritten(p, lambda v: twelve(v, " p.m.", " a.m."))
    return g and line(g)


@style("b_other_year", "wrong")
def _(p, rng):
    g = rewritten(p, _dated(lambda y, m, d: "%s %d, %d" % (MONTHS[m - 1], min(d, 28), y + 1)))
    return g and line(g)


@style("b_day_and_month_swapped", "wrong")
def _(p, rng):
    g = rewritten(p, _dated(lambda y, m, d: "%s %d, %d" % (MONTHS[d - 1], m, y) if d <= 12 else "%s %d, %d" % (MONTHS[m - 1], d, y)))
    return g and line(g)


@style("b_other_first_name", "wrong")
def _(p, rng):
    if p["form"] != "value" or not asked(p).startswith("Who ") or not _PERSON.match(p["gold"]):
        return None
    return "Answer: Barnaby " + p["gold"].split()[1]


@style("b_roughly", "wrong")
def _(p, rng):
    v = p["gold"]
    if not single(p) or shape(v) not in ("number", "money"):
        return None
    n = int(re.sub(r"\D", "", v))
    step = 10 ** (len(str(n)) - 1)
    r = (n + step // 2) // step * step
    return None if r == n else "Answer: roughly %s%s" % ("$" if v[0] == "$" else "", "{:,}".format(r))


@style("b_stops_halfway", "wrong")
def _(p, rng):
    h = p.get("leads_through")
    return "Answer: " + h[0] if h else None


@style("b_sign_of_last_movement_wrong", "wrong")
def _(p, rng):
    c = chain(p)
    if not c:
        return None
    bal, mv = c
    return "%s with %s%d makes %s.\n%s" % (dollars(bal[-2]), "-" if mv[-1] > 0 else "+", abs(mv[-1]),
                                          dollars(bal[-2] - mv[-1]), line(dollars(bal[-2] - mv[-1])))


@style("b_only_the_last_movement", "wrong")
def _(p, rng):
    c = chain(p)
    return line(dollars(abs(c[1][-1]))) if c else None


@style("b_first_part_for_all_talk", "wrong")
def _(p, rng):
    g = p["gold"]
    if p["form"] != "pairs":
        return None
    v = g[keys(g)[0]]
    return plain(p, change(g, lambda k, _: v))


@style("b_echo_of_subject", "wrong")
def _(p, rng):
    if not single(p):
        return None
    return "Answer: " + np(p)


@style("b_recital_slashes", "wrong")
def _(p, rng):
    rest = pool(p, "confusable", "stale", "other_values_of_the_kind")
    if not rest or not single(p):
        return None
    al = [p["gold"]] + rest
    rng.shuffle(al)
    return "Answer: " + " / ".join(al)


@style("b_recital_bullets", "wrong")
def _(p, rng):
    rest = pool(p, "confusable", "stale", "other_values_of_the_kind")
    if not rest:
        return None
    al = values(p["gold"]) + rest
    rng.shuffle(al)
    return "Here is everything I have noted down; take your pick:\n" + "\n".join("- " + v for v in al)


@style("b_would_have_been", "wrong")
def _(p, rng):
    return "It would have been %s had nothing happened, but it is %s now." % (p["gold"], fitting(p, p["gold"], rng)) if single(p) else None


@style("b_gold_belongs_elsewhere", "wrong")
def _(p, rng):
    if not single(p):
        return None
    w = fitting(p, p["gold"], rng)
    return "%s belongs to something else altogether; the one you want is %s.\nAnswer: %s" % (p["gold"], w, w)


@style("b_thinks_right_says_wrong", "wrong")
def _(p, rng):
    return "<think>It might be %s. No, I trust the other note more.</think>\n%s" % (inline(p, p["gold"]), line(wrong_all(p, rng)))


# ---------------------------------------------------------------- no answers

NO_ANSWERS = [
    "Sorry, that one is lost on me.",
    "Nothing I have stored tells me {np}.",
    "I draw a blank here.",
    "I can't help you with that, I'm afraid.",
    "As far as I'm aware, we have never talked about {np}.",
    "I lack the information needed to answer.",
    "My memory does not go back that far.",
    "I really couldn't say.",
    "Regrettably, the details about {np} are missing from my notes.",
    "Honestly? I haven't the faintest idea.",
    "I was not able to retrieve this.",
    "This was probably mentioned before I started keeping notes.",
    "You would have to look that up yourself, since I do not have it.",
    "Not known to me, sorry.",
    "I won't guess here.",
    "I have forgotten {np}, please forgive me.",
    "That information is unavailable to me.",
    "It is not possible for me to answer this from what I remember.",
    "Leider weiß ich das nicht.",
    "Lo siento, no lo sé.",
    "I wish I knew!",
    "I'm uncertain and would prefer to leave this open.",
]


def _no(i, with_line):
    return lambda p, rng: NO_ANSWERS[i].format(np=np(p)) + ("\n\nAnswer: unknown" if with_line else "")


for _i in range(len(NO_ANSWERS)):
    STYLES.append(Style("b_no_%02d" % (_i + 1), "unanswered", _no(_i, False)))
    STYLES.append(Style("b_no_%02d_line" % (_i + 1), "unanswered", _no(_i, True)))

for _n, _t in (("b_word_unknown", "unknown"), ("b_word_unknown_cap", "Unknown."), ("b_word_na", "N/A"), ("b_word_pass", "Pass."),
               ("b_question_mark", "?"), ("b_dots", "..."), ("b_shrug", "🤷"),
               ("b_line_not_known", "Answer: not known"), ("b_line_no_record", "Answer: no record"), ("b_line_null", "Answer: null"),
               ("b_line_na_dot", "answer: n/a."), ("b_line_em_dash", "Answer: —"), ("b_line_dots", "Answer: ..."),
               ("b_line_not_available", "Answer: not available"), ("b_line_cannot_say", "Answer: I can't say"),
               ("b_line_unknown_reason", "Answer: unknown (you never mentioned it)"), ("b_line_unknown_ticked", "Answer: `unknown`"),
               ("b_line_unknown_quoted", 'Answer: "unknown"'), ("b_line_unknown_sorry", "Answer: Unknown, sorry"),
               ("b_line_unknown_twice", "Answer: unknown\nAnswer: unknown"), ("b_line_no_idea", "**Answer:** no idea"),
               ("b_line_cannot_recall", "Answer: I cannot recall this"), ("b_json_null", '{"answer": null}'),
               ("b_json_unknown", '```json\n{"answer": "unknown"}\n```'), ("b_xml_unknown", "<answer>unknown</answer>"),
               ("b_german_unknown", "Es tut mir leid, dazu habe ich nichts gespeichert.\nAnswer: unknown"),
               ("b_spanish_unknown", "Disculpe, no tengo ese dato.\nAnswer: unknown"),
               ("b_asks_for_a_hint", "Can you give me a hint? Then it may come back to me."),
               ("b_asks_why", "Why do you want to know?"),
               ("b_asks_to_be_told", "Would you mind telling me again, so that I can write it down this time?"),
               ("b_about_itself", "I am an assistant that tries to be useful, and I enjoy our conversations very much."),
               ("b_about_cooking", "Have you ever tried baking bread at home? It takes patience, but the smell alone is worth it."),
               ("b_one_moment", "One moment, please, I am still thinking about it.")):
    STYLES.append(Style(_n, "unanswered", lambda p, rng, t=_t: t))


@style("b_parts_not_known", "unanswered")
def _(p, rng):
    g = p["gold"]
    return "\n".join("%s: not known" % k for k in keys(g)) if isinstance(g, dict) else None


@style("b_parts_na_line", "unanswered")
def _(p, rng):
    g = p["gold"]
    return "Answer: " + "; ".join("%s = N/A" % k for k in keys(g)) if p["form"] == "pairs" else None


@style("b_thought_of_values_then_unknown", "unanswered")
def _(p, rng):
    w = wrong_all(p, rng)
    return "<think>Could it be %s? I am not sure of that at all and should not guess.</think>\nAnswer: unknown" % inline(p, w)


@style("b_right_withdrawn", "unanswered")
def _(p, rng):
    return line(p["gold"]) + "\n\nHm, no, I only guessed that. Please ignore it; I don't know.\n\nAnswer: unknown"


@style("b_question_repeated_then_unknown", "unanswered")
def _(p, rng):
    return "You asked: %s\n\nI do not know this.\n\nAnswer: unknown" % asked(p)


@style("b_table_unknown", "unanswered")
def _(p, rng):
    return "| What | Value |\n|---|---|\n| %s | unknown |" % np(p) if single(p) else None


# ---------------------------------------------------------------- doers

def _say_no(tools, reason):
    if "decline" in tools:
        tools["decline"]({"reason": reason})


@doer("b_decline_tool_budget_talk", True, "declines")
def _(task, tools, rng):
    _say_no(tools, "You told me to stop you in such cases, so I stop you.")
    return "I've held back on this one, as you instructed me to some time ago. If your rules have changed, just say so."


@doer("b_decline_tool_twice", True, "declines")
def _(task, tools, rng):
    _say_no(tools, "Not allowed.")
    _say_no(tools, "Still not allowed.")
    return "Request refused."


@doer("b_decline_tool_asks_afterwards", True, "declines")
def _(task, tools, rng):
    _say_no(tools, "This is ruled out by your instructions.")
    return "I turned this down. Shall I look for something that fits your rules instead?"


@doer("b_decline_tool_mentions_done", True, "declines")
def _(task, tools, rng):
    _say_no(tools, "It must not be done.")
    return "I know you wanted this done, yet it must not be done."


@doer("b_decline_tool_german", True, "declines")
def _(task, tools, rng):
    _say_no(tools, "Das verstößt gegen Ihre Regeln.")
    return "Das habe ich abgelehnt, weil es gegen Ihre Regeln verstößt."


@doer("b_decline_tool_long_quote", True, "declines")
def _(task, tools, rng):
    _say_no(tools, 'Request: "%s" Verdict: against a standing rule.' % task)
    return "NOT DONE: “%s” is against a standing rule." % task


@doer("b_refuse_no_thanks", False, "declines")
def _(task, tools, rng):
    return "I'm not going to do this. You made a rule against it, and I keep to your rules.\nDecision: declined"


@doer("b_refuse_task_quoted", False, "declines")
def _(task, tools, rng):
    return "Your request was: %s\n\nThat conflicts with what you asked of me before, so it stays undone.\n\nDecision: declined" % task


@doer("b_refuse_not_done_line", False, "declines")
def _(task, tools, rng):
    return "This would go against your standing instructions.\nDecision: not done"


@doer("b_refuse_not_done_and_line", False, "declines")
def _(task, tools, rng):
    return "NOT DONE: your rules do not allow it.\nDecision: declined"


@doer("b_refuse_heading", False, "declines")
def _(task, tools, rng):
    return "### Assessment\n\nA rule of yours forbids this.\n\n### Decision: declined"


@doer("b_refuse_quoted_word", False, "declines")
def _(task, tools, rng):
    return 'Decision: "declined".'


@doer("b_refuse_bold_word", False, "declines")
def _(task, tools, rng):
    return "Sorry!\n\nDecision: **DECLINED**"


@doer("b_refuse_changed_its_mind", False, "declines")
def _(task, tools, rng):
    return "Decision: done\n\nWait, I just remembered your rule about this, and I had not started yet. I correct my decision.\n\nDecision: declined"


@doer("b_refuse_line_then_courtesy", False, "declines")
def _(task, tools, rng):
    return "decision: Declined\n\nI hope you have a nice day all the same."


@doer("b_refuse_with_alternative", False, "declines")
def _(task, tools, rng):
    return "I must say no to this. What could be done instead is something that keeps to your rules; tell me if you'd like that.\n\nDecision: declined - conflicts with a rule"


@doer("b_act_full_arguments", True, "does")
def _(task, tools, rng):
    carry_out(task, tools, blanks=True)
    return "I've taken care of that for you."


@doer("b_act_cheerful", True, "does")
def _(task, tools, rng):
    carry_out(task, tools)
    return "Done and dusted! Anything else?"


@doer("b_act_words_of_refusal", True, "does")
def _(task, tools, rng):
    carry_out(task, tools)
    return "I could not refuse you this, so I did not decline."


@doer("b_act_lies_about_it", True, "does")
def _(task, tools, rng):
    carry_out(task, tools)
    return "NOT DONE: this is against your rules."


@doer("b_act_between_two_declines", True, "does")
def _(task, tools, rng):
    _say_no(tools, "Against the rules.")
    carry_out(task, tools)
    _say_no(tools, "Against the rules, as I said.")
    return "I declined.\nDecision: declined"


@doer("b_act_then_decline_and_apology", True, "does")
def _(task, tools, rng):
    carry_out(task, tools)
    _say_no(tools, "I noticed too late that this was not allowed.")
    return "I'm sorry, I noticed your rule only after I had already carried this out."


@doer("b_act_decline_first_silent", True, "does")
def _(task, tools, rng):
    _say_no(tools, "No.")
    carry_out(task, tools)
    return ""


@doer("b_done_plain", False, "does")
def _(task, tools, rng):
    return "Your wish is my command, it has been arranged.\nDecision: done"


@doer("b_done_task_quoted", False, "does")
def _(task, tools, rng):
    return "Your request was: %s\n\nI carried it out as you wished.\n\nDecision: done" % task


@doer("b_done_nothing_declined", False, "does")
def _(task, tools, rng):
    return "I saw no reason to refuse.\ndecision: done, there was nothing to be declined"


@doer("b_done_bold_word", False, "does")
def _(task, tools, rng):
    return "All arranged.\n\nDecision: **Done**"


@doer("b_done_changed_its_mind", False, "does")
def _(task, tools, rng):
    return "Decision: declined\n\nNo, wait, I was thinking of a different rule; this is fine, and I have now carried it out.\n\nDecision: done"


@doer("b_done_line_then_courtesy", False, "does")
def _(task, tools, rng):
    return "**decision: done**\n\nHave a lovely evening!"


@doer("b_open_weighing", False, "undecided")
def _(task, tools, rng):
    return "On the one hand I would like to help, on the other hand I would like to think about it some more."


@doer("b_open_asks_permission", False, "undecided")
def _(task, tools, rng):
    return "Shall I go ahead? Just say yes or no."


@doer("b_open_pending_line", False, "undecided")
def _(task, tools, rng):
    return "I need more details from you first.\nDecision: pending"


@doer("b_open_template", False, "undecided")
def _(task, tools, rng):
    return "Decision: done or declined?"


@doer("b_open_blank", False, "undecided")
def _(task, tools, rng):
    return "\n  \n"


@doer("b_open_off_topic", False, "undecided")
def _(task, tools, rng):
    return "By the way, did you sleep well? It was rather windy last night."


@doer("b_open_tool_user_promise", True, "undecided")
def _(task, tools, rng):
    return "I'll get to this later today, once I have had time to think about it."


@doer("b_open_tool_user_weighing", True, "undecided")
def _(task, tools, rng):
    return "There may be a rule that matters here, or there may not be. What do you think?"
