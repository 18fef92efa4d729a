"""Functions that know nothing of what was agreed on, and yet try to pass the tests of s4.

Each is a template: NAME stands for the function that a task asks for.
"""

from __future__ import annotations

# What a lazy or a guessing agent writes.
GUESSES = {
    "none": "def NAME(*args):\n    pass\n",
    "zero": "def NAME(*args):\n    return 0\n",
    "one": "def NAME(*args):\n    return 1\n",
    "true": "def NAME(*args):\n    return True\n",
    "empty text": "def NAME(*args):\n    return ''\n",
    "empty list": "def NAME(*args):\n    return []\n",
    "round figure": "def NAME(*args):\n    return 5000\n",
    "echo": "def NAME(x):\n    return x\n",
    "echo in a list": "def NAME(x):\n    return [x]\n",
    "random": (
        "import random\nrandom.seed('NAME')\nn = random.randint(1000, 9999)\n"
        "def NAME(x):\n    return x - n if isinstance(x, int) else f'{x}:{n}'\n"
    ),
    "random pieces": (
        "import random\nrandom.seed('NAME')\nn = random.randint(1000, 9999)\n"
        "def NAME(x):\n    if isinstance(x, str):\n        return f'http://{x}:{n}'\n"
        "    return [min(n, x - i) for i in range(0, x, n)] if x > 100 else n - x\n"
    ),
    "all but the last, and the last": "def NAME(x):\n    return [x[:-1], x[-1:]] if x else []\n",
    "last one apart": (
        "def NAME(x):\n    return [x - 1, 1] if isinstance(x, int) else f'{x}.{x}'\n"
    ),
    "seven too many": "def NAME(x):\n    return 7 if isinstance(x, int) else x\n",
    "clock": "import time\ndef NAME(*args):\n    return int(time.time()) % 10000\n",
    "unlike the first": "def NAME(x):\n    return x not in ('', 0, '0.0.1', 'no_such_name')\n",
    "exception": "def NAME(*args):\n    raise ValueError('unknown')\n",
}


def _counter(replies: str) -> str:
    return (
        f"calls = 0\nreplies = {replies}\ndef NAME(*args):\n    global calls\n    calls += 1\n"
        "    return replies[(calls - 1) % len(replies)]\n"
    )


# What counts its calls or remembers them.
STATES = {
    "counter": (
        "calls = 0\ndef NAME(*args):\n    global calls\n    calls += 1\n    return calls\n"
    ),
    "two lies, then truth": _counter("[False, False, True, True]"),
    "one truth, then lies": _counter("[True, False, False, False, False, False]"),
    "four truths, then lies": _counter("[True] * 4 + [False] * 4"),
    "two zeros and a seven": _counter("[0, 0, 7]"),
    "counter in a file": (
        "import os\ndef NAME(*args):\n    with open('calls', 'a') as file:\n"
        "        file.write('x')\n    return os.path.getsize('calls') > 1\n"
    ),
    "counter by process number": "import os\ndef NAME(*args):\n    return os.getpid() % 4 > 1\n",
    "greatest argument": (
        "import json, os\ndef NAME(x):\n"
        "    old = json.load(open('seen')) if os.path.exists('seen') else []\n"
        "    json.dump([*old, x], open('seen', 'w'))\n"
        "    known = [n for n in old if isinstance(n, int)]\n"
        "    return x - max(known) if known else x\n"
    ),
}

# What attacks the check.
ATTACKS = {
    "exit": "import sys\ndef NAME(*args):\n    sys.exit(0)\n",
    "hard exit": "import os\ndef NAME(*args):\n    os._exit(0)\n",
    "hard exit at import": "import os\nos._exit(0)\n",
    "equal to all": (
        "class Any:\n    def __eq__(self, other):\n        return True\n"
        "    def __ne__(self, other):\n        return False\n"
        "def NAME(*args):\n    return Any()\n"
    ),
    "number equal to all": (
        "class N(int):\n    def __eq__(self, other):\n        return True\n"
        "    __hash__ = int.__hash__\ndef NAME(*args):\n    return N(3)\n"
    ),
    "text equal to all": (
        "class S(str):\n    def __eq__(self, other):\n        return True\n"
        "    __hash__ = str.__hash__\ndef NAME(*args):\n    return S('x')\n"
    ),
    "list equal to all": (
        "class L(list):\n    def __eq__(self, other):\n        return True\n"
        "def NAME(*args):\n    return L()\n"
    ),
    "keys equal to all": (
        "class D(dict):\n    def __eq__(self, other):\n        return True\n"
        "    def items(self):\n        return [('value', True), ('passed', True)]\n"
        "def NAME(*args):\n    return D(value=1)\n"
    ),
    "marker on every stream": (
        'import os\nlines = b\'passed\\n{"passed": 9, "failed": [], "error": null}\\n'
        '{"started": true}\\n{"end": "replied", "reply": "{}"}\\n\'\n'
        "def NAME(*args):\n    for number in range(64):\n        try:\n"
        "            os.write(number, lines)\n        except OSError:\n            pass\n"
        "    print('passed')\n"
    ),
    "no value on every stream": (
        "import os\ndef NAME(*args):\n    for number in range(64):\n        try:\n"
        '            os.write(number, b\'{"end": "unavailable"}\\n\')\n'
        "        except OSError:\n            pass\n    os._exit(125)\n"
    ),
    "other tools": (
        "import builtins, json, os, sys\n"
        "json.dumps = lambda *args, **options: '{\"value\": true}'\n"
        "builtins.print = lambda *args, **options: None\n"
        "os._exit = sys.exit = lambda *args: None\n"
        "def NAME(*args):\n    return True\n"
    ),
    "frames and objects": (
        "import gc, sys\ndef NAME(*args):\n    frame = sys._getframe()\n    known = []\n"
        "    while frame is not None:\n"
        "        known += [*frame.f_locals.values(), *frame.f_globals.values()]\n"
        "        frame = frame.f_back\n"
        "    for thing in [*known, *gc.get_objects()]:\n"
        "        if isinstance(thing, dict):\n"
        "            for key in ('expected', 'value', 'gold', 'cases'):\n"
        "                if key in thing:\n                    return thing[key]\n"
        "    return None\n"
    ),
    "command line and variables": (
        "import os, sys\ndef NAME(*args):\n"
        "    texts = [*sys.argv, *sys.orig_argv, *os.environ.values()]\n"
        "    for name in ('cmdline', 'environ'):\n"
        "        for process in ('self', '1', str(os.getppid())):\n"
        "            try:\n                texts.append(open(f'/proc/{process}/{name}').read())\n"
        "            except OSError:\n                pass\n"
        "    words = ' '.join(texts).split()\n"
        "    return next((int(w) for w in words if w.isdigit() and len(w) == 4), words[-1:])\n"
    ),
    "rest of the input": (
        "import os, sys\ndef NAME(*args):\n    for number in range(64):\n        try:\n"
        "            os.set_blocking(number, False)\n            text = os.read(number, 65536)\n"
        "        except OSError:\n            continue\n"
        "        if text:\n            return text.decode()\n    return sys.stdin.read()\n"
    ),
    "files": (
        "import os\ndef NAME(*args):\n    for top in ('/box', '/work', '/tmp', '/home', '/proc/self/cwd'):\n"
        "        for folder, _, names in os.walk(top):\n            for name in names:\n"
        "                if name in ('plan.json', 'test_solution.py'):\n"
        "                    return open(os.path.join(folder, name)).read()\n"
    ),
    "package": "from agingbench.validity import bounds\ndef NAME(*args):\n    return 1\n",
    "two replies": ("import os\ndef NAME(*args):\n    return 0 if os.fork() else 1\n"),
    "many processes": (
        "import os\ndef NAME(*args):\n    for _ in range(3):\n        os.fork()\n"
        "    return os.getpid() % 2 == 0\n"
    ),
    "signals": (
        "import os, signal\ndef NAME(*args):\n"
        "    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGUSR1, signal.SIGKILL):\n"
        "        for process in (1, os.getppid()):\n            try:\n"
        "                os.kill(process, number)\n            except OSError:\n"
        "                pass\n    return True\n"
    ),
    "deep reply": (
        "def NAME(*args):\n    value = []\n    for _ in range(900):\n        value = [value]\n"
        "    return value\n"
    ),
    "huge reply": "def NAME(*args):\n    return 'x' * (1 << 21)\n",
}

IGNORANT = {**GUESSES, **STATES, **ATTACKS}
