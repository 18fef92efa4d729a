"""Shared world: Halyard Cold Freight, repository reeferline (container cooling telemetry)."""
import random

CRATES = ["telemetry", "alarms", "routing", "billing"]
RS = ["lib", "config", "model", "store", "handler", "queue"]
ETL = ["inbound", "outbound", "recon"]
PY = ["config", "loader", "mapping", "schema", "retry"]
VIEWS = ["fleet", "alarm", "invoice", "depot"]
TSX = ["Table.tsx", "Form.tsx", "api.ts", "hooks.ts"]


def base_files():
    f = []
    for c in CRATES:
        f += [f"crates/{c}/src/{m}.rs" for m in RS] + [f"crates/{c}/tests/{m}_it.rs" for m in ("store", "handler")]
    for e in ETL:
        f += [f"etl/{e}/{m}.py" for m in PY] + [f"etl/tests/{e}/test_{m}.py" for m in ("loader", "mapping")]
    for v in VIEWS:
        f += [f"console/src/views/{v}/{m}" for m in TSX] + [f"console/src/views/{v}/Table.test.tsx"]
    for e in ("staging", "prod", "canary"):
        f += [f"deploy/{e}/values.yaml", f"deploy/{e}/ingress.yaml", f"deploy/{e}/jobs.yaml"]
    f += [f"docs/{a}/{b}.md" for a in ("ops", "dev") for b in ("overview", "runbook", "glossary", "release")]
    f += [f"scripts/{a}/{b}.sh" for a in ("local", "ci") for b in ("seed", "package", "smoke")]
    f += [f"sql/{a}/{b}.sql" for a in ("depots", "tariffs") for b in ("views", "tables", "backfill")]
    return f


def more_files():
    f = []
    for c in ("customs", "pricing", "yardview", "tracker", "manifest", "berths"):
        f += [f"crates/{c}/src/{m}.rs" for m in RS] + [f"crates/{c}/tests/{m}_it.rs" for m in ("store", "handler")]
    for v in ("berth", "voyage", "claim", "tariff", "driver", "audit"):
        f += [f"console/src/views/{v}/{m}" for m in TSX] + [f"console/src/views/{v}/Table.test.tsx"]
    for e in ("edi", "customs", "weather"):
        f += [f"etl/{e}/{m}.py" for m in PY] + [f"etl/tests/{e}/test_{m}.py" for m in ("loader", "mapping")]
    return f


def area_of(p):
    return p.rsplit("/", 1)[0].replace("/tests", "").replace("/src", "") if p.startswith("crates") else \
        p.rsplit("/", 1)[0].replace("/tests", "")


NOUN = ("probe reefer depot tariff leg berth slot manifest setpoint defrost alarm ack window plug genset lane quota "
        "invoice carrier gate yard humidity door drift sample batch cursor lease shard rate stop hold").split()
VERB = "load fetch merge apply clamp rank emit flush resolve collect reset verify pack split assign trim poll settle".split()
ADJ = "raw stale open next last max min pending local remote signed daily late cold merged early spare".split()


def gen_lines(path, n, rnd):
    r = rnd.random
    N, V, A = NOUN, VERB, ADJ
    ch = lambda s: s[int(r() * len(s))]
    out = []
    ext = path.rsplit(".", 1)[1]
    if ext == "rs":
        out += ["use std::collections::HashMap;", "use anyhow::{bail, Context, Result};",
                f"use crate::model::{{{ch(N).title()}, {ch(N).title()}Id}};", ""]
        while len(out) < n:
            a, b, v = ch(N), ch(N), ch(V)
            k = int(r() * 900)
            if r() < .25:
                out += [f"/// {ch(A).title()} {a} kept per {b}, see RLN-{k}.", f"pub struct {a.title()}{b.title()}{k} {{",
                        f"    pub {a}_id: u64,", f"    pub {ch(A)}_{b}: Option<f{ch(('32','64'))}>,", f"    {b}_{k}: Vec<u{ch(('8','16','32'))}>,", "}", ""]
            else:
                out += [f"pub fn {v}_{a}_{k}(&self, {b}: &{b.title()}, limit: usize) -> Result<usize> {{",
                        f"    let {ch(A)}_{a} = self.{b}s.get(&{b}.id).context(\"no {b} for {a} {k}\")?;",
                        f"    if {b}.{ch(A)} > {k} {{", f"        bail!(\"{a} over {k}: {{}}\", {b}.id);", "    }",
                        f"    let mut n = {int(r()*40)};",
                        f"    for s in {b}.{ch(N)}s.iter().take(limit.min({k})) {{", f"        n += s.{v}({int(r()*90)});", "    }", "    Ok(n)", "}", ""]
    elif ext == "py":
        out += ["from __future__ import annotations", "import logging", f"from etl.common import {ch(V)}, {ch(V)}_all", "",
                "log = logging.getLogger(__name__)", ""]
        while len(out) < n:
            a, b, v = ch(N), ch(N), ch(V)
            k = int(r() * 900)
            out += [f"def {v}_{a}_{k}({b}s: list[dict], {ch(A)}: int = {int(r()*60)}) -> list[dict]:",
                    f"    \"\"\"{v.title()} {a} rows that belong to a {b}.\"\"\"", "    rows = []",
                    f"    for row in {b}s:", f"        if row.get(\"{a}_{ch(A)}\") is None or row[\"{b}\"] > {k}:",
                    f"            log.debug(\"skip {a} %s ({k})\", row.get(\"id\"))", "            continue",
                    f"        rows.append({{**row, \"{a}\": row[\"{b}\"] * {int(r()*12)+1}}})", f"    return rows[:{k}]", "", ""]
    elif ext in ("ts", "tsx"):
        out += ["import { useMemo, useState } from 'react';", f"import {{ {ch(V)}{ch(N).title()} }} from '../../lib/{ch(N)}';", ""]
        while len(out) < n:
            a, b, v = ch(N), ch(N), ch(V)
            k = int(r() * 900)
            out += [f"export function {v}{a.title()}{k}({b}: {b.title()}Row[], opts = {{ limit: {k} }}) {{",
                    f"  const {ch(A)} = {b}.filter((x) => x.{a} !== null && x.{ch(A)} < {k});",
                    f"  if ({b}.length === 0) return [];", f"  return {b}.slice(0, opts.limit).map((x) => ({{ ...x, {a}: x.{a} ?? {int(r()*90)} }}));", "}", "",
                    f"export const {a}Label{k} = '{ch(A)} {a} / {b}';"]
    elif ext == "yaml":
        out += ["# rendered by rl render, hand edits allowed", "jobs:"]
        while len(out) < n:
            a, b = ch(N), ch(N)
            k = int(r() * 900)
            out += [f"  {a}-{b}-{k}:", f"    every: {int(r()*50)+5}m", f"    retries: {int(r()*5)}", f"    label: {ch(A)}-{a}", f"    memory: {int(r()*30)*32+64}Mi"]
    elif ext == "md":
        out += [f"# {path.split('/')[-1][:-3].title()}", ""]
        while len(out) < n:
            a, b, v = ch(N), ch(N), ch(V)
            k = int(r() * 900)
            out += [f"## {v.title()} the {a} ({k})", f"The {ch(A)} {a} is kept for every {b}; if the {ch(N)} is {ch(A)}, {ch(V)} it first.",
                    f"- check the {b} list, item {k}", f"- {ch(V)} and wait about {int(r()*50)+2} minutes", ""]
    elif ext == "sh":
        out += ["#!/usr/bin/env bash", "set -euo pipefail", ""]
        while len(out) < n:
            a, b, v = ch(N), ch(N), ch(V)
            k = int(r() * 900)
            out += [f"{v}_{a}_{k}() {{", f"  echo \"{v} {a} {k}\"", f"  ./rl {a} {v} --{b} \"${{1:-{k}}}\" >/dev/null", "}", ""]
    else:
        while len(out) < n:
            a, b, v = ch(N), ch(N), ch(V)
            k = int(r() * 900)
            out += [f"-- {v} {a} per {b}, {k}", f"create or replace view {a}_{b}_{k} as", f"  select {a}_id, max({b}_at) as {ch(A)}_{b}",
                    f"  from {ch(N)}s where {ch(A)} < {k}", "  group by 1;", ""]
    return out[:n]


# ---------------------------------------------------------------- user voice
OPEN = ["", "", "", "", "", "", "hey ", "ok ", "ok so ", "morning, ", "next one: ", "quick one - ", "hm ", "alright ", "so ", "can you ",
        "pls ", "could you ", "when you have a sec, ", "right, ", "new thing. ", "follow up from standup: ", "small one, ", "uh ",
        "Marit asked for this: ", "from the board: ", "ticket says: ", "before lunch i want this gone: "]
TAIL = ["", "", "", "", "", "", "", " thx", " thanks", " pls keep the diff small", ", no refactor please", " and run the tests after",
        ". dont touch the other crates", ". shouldnt take long", " - ask if unclear", ". the ops ppl are waiting", " ok?", " and tell me what you find",
        ". check with clippy too", ", i'll review in the evening", " .. you know the drill", ". commit when green", " before the 4pm call",
        ". nothing fancy", ", one commit", " (low prio)"]
REQ = {
 "bugfix": ["{n} {a} gets lost when the {b} is {j}, look at {f}", "{f} blows up on {j} {a}s:\n{log}", "we get duplicates of {a} after a restart, smells like {f}",
   "fix the off by one in {f}, {a} count is always one short", "customer {cust} sees {j} {a} twice in the {b} list. its in {f} i guess", "got this from sentry\n{log}\nfix it in {f}",
   "{a} alarms fire for {j} {b}s, they shouldnt ({f})", "why does {f} swallow the error for {a}? make it fail loud", "the {b} filter ignores {j} ones, {f}",
   "rounding in {f} is off, {a} 0.5 goes down instead of up", "{cust} complains the {a} is null on {b} pages, start in {f}", "timezones again. {f} treats {a} as local time",
   "regression since tuesday: {a} not {v}ed for {j} {b}. suspect {f}", "null check missing in {f} for {a}", "the retry in {f} never stops if {b} is {j}",
   "look here:\n{log}\nthats {f}, needs a fix today", "{f}: {a} and {b} swapped in the message, users are confused", "crash on empty {a} list in {f}"],
 "feature": ["add a {j} {a} column to {f}", "we need {a} per {b} exported, put it in {f}", "support {j} {b}s in {f}, same way as {a}", "let users {v} a {a} from {f}",
   "new field {j}_{a} on the {b}, start in {f} and wire it through", "add a limit param for {a} in {f}, default 50", "{f} should {v} the {a} every few minutes", "implement {v} for {b}s in {f}",
   "{cust} wants {a} alerts per {b}. hook into {f}", "make {a} configurable in {f}", "first cut of {j} {a} support, {f} only", "i'd like a dry run switch for {v} in {f}",
   "paging for the {b} list pls, {f}", "{f} needs a cache for {a}, ttl 5 min", "expose the {a} counter from {f} as a metric", "accept csv for {a} too ({f})"],
 "refactor": ["split the long function in {f}, the {a} part is unreadable", "{f} has two copies of the {a} logic, merge them", "rename {a} to {j}_{a} in {f} and callers", "pull the {b} stuff out of {f}",
   "get rid of the unwraps in {f}", "{f}: replace the nested ifs around {a}", "make {a} handling in {f} look like the {b} one", "dead code in {f}, remove what nobody calls",
   "typed errors for {f} instead of strings", "move {v}_{a} helpers next to {f}", "clean up {f} a bit, mostly the {b} half", "turn the {a} map in {f} into a struct", "the {a} loop in {f} can be an iterator chain i think"],
 "ops": ["check the env and restart the {a} job, config is {f}", "bump the {a} memory in {f}", "whats deployed right now? compare with {f}", "roll the {b} job to canary, {f}", "the {a} cron runs too often, {f}",
   "see why the {a} pods flap. {f} is the config", "add the {j} {a} job to {f}", "prod is slow on {b}, look at the settings and {f}", "get staging green again:\n{log}\nconfig in {f}", "schedule the {a} backfill, {f}",
   "tidy {f}, half of the {a} entries are dead", "smoke the env then update {f}", "what changed on staging since yday? {f} looks odd"],
 "docs": ["{f} is out of date for {a}, rewrite that part", "write down how {a} and {b} relate, in {f}", "the onboarding ppl dont get the {a} section in {f}", "add a troubleshooting bit about {j} {a} to {f}",
   "document the {v} flow in {f}", "{f}: fix the {b} steps, step 2 is wrong", "changelog + {f} for the {a} stuff", "short how-to for {v}ing a {b}, goes in {f}", "explain {j} {a} in {f}, two paragraphs max", "glossary misses {a} and {b} ({f})"],
 "investigate": ["how does {f} decide which {a} wins?", "where do we {v} the {a}? start at {f}", "what happens to a {j} {b} after {f}?", "is the {a} in {f} ever {j}? dont change anything", "trace {a} from {f} to the db for me",
   "who calls the {v} thing in {f}", "can {f} deadlock when {b} is {j}?", "why is {a} slow, {f} looks suspicious", "read {f} and tell me if {cust} could hit this:\n{log}", "estimate what it takes to drop {a} from {f}", "does {f} handle {j} {b}s at all"],
 "tests": ["{f} has no coverage for {j} {a}s, add some", "test for the {v} path in {f}", "flaky test around {a}, see {f}", "write a failing test for the {b} bug first, then fix {f}", "table tests for {f} pls, {a} edge cases",
   "the {a} fixture is wrong, check {f}", "cover the empty {b} list in {f}", "tests in {f} take forever, why", "port the old {a} checks to {f}", "make the {b} test in {f} not depend on time", "tdd this: {f} must {v} {j} {a}"],
}
LOGS = ["ERROR {svc}: {a} {num} not {j}: key `{b}` missing\n  at {f}:{ln}", "thread 'tokio-runtime-worker' panicked at {f}:{ln}:17:\nindex out of bounds: the len is {n} but the index is {n}",
        "Traceback (most recent call last):\n  File \"{f}\", line {ln}, in {v}_{a}\nKeyError: '{b}_{j}'", "[{svc}] WARN retry {n}/5 {a}={num} err=timeout after 3000ms\n[{svc}] ERROR giving up on {b} {num}",
        "TypeError: Cannot read properties of undefined (reading '{a}')\n    at {v}{b} ({f}:{ln}:9)"]
CUST = ["Norvik", "Palmera Fruit", "OceanBlue", "dachser", "Teunis & Zn", "Frigosur", "the Gdansk depot", "kuehne", "MSK"]
TERSE = ["{f} {a} broken", "{a} in {f}, fix", "{f}: {j} {a}", "{v} {a} {f}", "same for {f}", "{f} again", "{b} wrong {f}", "do {f}", "{f} {b}?", "tests {f}"]

OPEN2 = ["Hi! ", "", "", "Please ", "Dear agent, ", "As discussed with Ruben, ", "Would you kindly ", "Hello again. ", "Context: I am new on this repo. ", "I would appreciate it if you could handle this. ", "One more item. "]
TAIL2 = ["", "", " Thank you very much!", " Please explain your reasoning at the end.", " Let me know should anything be unclear.", " Kind regards, Oyelaran", " I will look at it tomorrow.", " Take your time.", " Please keep the public API as it is."]

OPEN_DE = ["", "", "", "", "moin, ", "ok ", "so, ", "kannst du mal ", "bitte ", "kurz: ", "nächstes: ", "hm ", "hallo, ", "ach und ", "aus dem ticket: ", "von Henrike: "]
TAIL_DE = ["", "", "", "", " danke", " bitte klein halten", ", ohne umbau", " und danach tests laufen lassen", ". die leitstelle wartet", ", reicht bis heute abend", " ok?", " und sag was du findest", ". nix wildes", ", ein commit reicht", " (eilt nicht)"]
REQ_DE = {
 "bugfix": ["{a} verschwindet wenn {b} {j} ist, schau in {f}", "{f} fliegt bei {j} {a} auf die nase:\n{log}", "doppelte {a} einträge nach neustart, vermutlich {f}", "zähler für {a} in {f} ist immer eins zu klein", "{cust} sieht {a} zweimal, liegt wohl an {f}",
   "aus sentry\n{log}\nbitte in {f} beheben", "{f} verschluckt den fehler bei {a}", "der filter für {b} greift nicht, {f}", "rundung in {f} stimmt nicht", "seit dienstag kaputt: {a} bei {j} {b}. verdacht {f}", "wiederholung in {f} hört nie auf"],
 "feature": ["neue spalte {j} {a} in {f}", "wir brauchen {a} je {b} im export, {f}", "{f} soll auch {j} {b} können", "feld {j}_{a} am {b} ergänzen, angefangen bei {f}", "grenze für {a} in {f} einbauen, standard 50", "{cust} will meldungen je {b}, häng das in {f} ein", "{a} einstellbar machen ({f})", "blättern in der {b} liste, {f}"],
 "refactor": ["lange funktion in {f} aufteilen", "{f} hat {a} doppelt, zusammenlegen", "{a} in {f} in {j}_{a} umbenennen", "unwraps aus {f} raus", "toten code in {f} weg", "{f} etwas aufräumen, vor allem {b}", "{a} teil in {f} lesbarer bitte"],
 "ops": ["umgebung prüfen und {a} job neu starten, steht in {f}", "speicher für {a} in {f} hoch", "was läuft gerade? vergleich mit {f}", "{a} läuft zu oft, {f}", "staging ist rot:\n{log}\n{f} anpassen", "job für {j} {a} in {f} anlegen"],
 "docs": ["{f} ist bei {a} veraltet", "schreib auf wie {a} und {b} zusammenhängen, {f}", "abschnitt zu {j} {a} in {f}", "ablauf für {v} in {f} beschreiben", "{f}: schritt 2 bei {b} ist falsch"],
 "investigate": ["wie entscheidet {f} welches {a} gewinnt?", "wo wird {a} gesetzt? fang bei {f} an", "was passiert mit {j} {b} nach {f}?", "wer ruft das in {f} auf", "kann {f} hängen bleiben wenn {b} {j} ist?", "warum ist {a} so langsam, {f} ist verdächtig"],
 "tests": ["{f} hat keine tests für {j} {a}", "wackliger test bei {a}, siehe {f}", "erst roter test für {b}, dann {f} richten", "leere {b} liste in {f} abdecken", "testdaten für {a} sind falsch, {f}"],
}

# corrections by the user (own words, English / German)
CORR = ["no thats the wrong {a}, i meant the {b} one", "hm not what i asked. only {f} should change", "you changed the {b} too, undo that", "nope. still the same {a} problem", "thats backwards, {j} ones first",
  "wait why did you touch {f}? leave it alone", "i said no refactor..", "this isnt it. the {a} must stay optional", "wrong way round, swap {a} and {b}", "please revert that last bit, it breaks {cust}", "you missed the {b} case completely",
  "did you even run it? {a} is empty now", "not like that - reuse what we have in {f}", "that was supposed to be {j}, not every {a}", "ugh no. one commit, not three", "the {a} is still wrong", "read the request again: {b}, not {a}",
  "thats not the {a} i talked about", "you invented a field, there is no {j}_{a}", "take out the log line, nobody wanted it", "no no, the limit is per {b}", "same bug as before, nothing changed for {j} {a}", "actually you broke the {b} page with that",
  "I don't think this is right, the {a} now depends on the {b}", "incorrect, {f} already does this", "too much. just the {a} line", "that test asserts nothing, do it properly", "you forgot {f}", "undo please, then only do the {a}", "still failing on my box, you fixed another thing",
  "nah the name should be {j}_{b} as everywhere", "stop adding fallbacks, let it fail", "this is the old behaviour again, why", "not quite: a {j} {a} must be kept", "you put it in the wrong place, {f} is where it goes", "hmm that contradicts what we agreed on for {b}",
  "that is only half of it, the {b} part is missing", "the result is off by a factor, look again at {a}", "why is {a} gone from the output?? put it back", "bad idea, {cust} relies on that {b}"]
CORR_DE = ["nein, das falsche {a}, ich meinte {b}", "so war das nicht gemeint, nur {f} anfassen", "du hast {b} mit geändert, mach das rückgängig", "immer noch derselbe fehler bei {a}", "falsch herum, {j} zuerst", "warum hast du {f} angefasst? lass das",
  "ich hatte doch gesagt ohne umbau", "stimmt nicht, {a} muss optional bleiben", "{a} und {b} vertauscht", "bitte zurück damit, {cust} braucht das so", "den fall {b} hast du vergessen", "hast du das mal laufen lassen? {a} ist jetzt leer",
  "nicht so, nimm was in {f} schon da ist", "das sollte nur für {j} gelten, nicht für alle", "ein commit, nicht drei", "{a} ist weiterhin verkehrt", "lies nochmal: {b}, nicht {a}", "das feld {j}_{a} gibts gar nicht, hast du erfunden",
  "logzeile raus, wollte keiner", "grenze gilt je {b}!", "hat sich nichts geändert bei {j} {a}", "jetzt ist die {b} seite kaputt", "das ist doch quatsch, {a} hängt nicht an {b}", "{f} macht das schon, also weg damit", "viel zu viel. nur die eine zeile",
  "der test prüft ja nichts", "{f} fehlt noch", "erst zurücknehmen, dann nur {a}", "bei mir immer noch rot, du hast was anderes repariert", "heißt überall {j}_{b}, bitte angleichen", "keine notlösungen, soll ruhig knallen", "das war das alte verhalten",
  "fast, aber {j} {a} muss bleiben", "gehört nach {f}, nicht dahin", "nur die halbe miete, {b} fehlt", "wieso ist {a} weg? wieder rein bitte", "so nicht, das widerspricht dem was wir zu {b} besprochen hatten"]
ASK = ["Which {k} should I use here?", "Before I go on: what is the current {k}?", "I don't have the {k} - can you tell me?", "One question first, which {k} applies?", "Could you give me the {k}?", "What should I take for the {k}?", "I need the {k} to continue. What is it?"]
ASK_DE = ["Welche Angabe gilt für {k}?", "Kurze Frage vorab: was ist aktuell {k}?", "Mir fehlt {k}, kannst du es nennen?", "Was soll ich für {k} nehmen?"]
ANS = ["{v}", "{v} still", "its {v}", "{v}, as i wrote", "{v} like before", "use {v}", "the {k} is {v}", "{v} :)"]
ANS_DE = ["{v}", "nimm {v}", "weiterhin {v}", "{v}, hatte ich geschrieben", "ist {v}"]
TELL = ["btw {k} is now {v}", "{k} moved to {v}", "heads up: {k} changed, its {v} from today", "use {v} as {k} from now on", "fyi new {k}: {v}", "{k} -> {v}", "ops switched {k} to {v} last night", "the {k} isnt {o} anymore, its {v}",
        "oh and we have a new {k}, {v}", "{k} = {v} now", "from now {k} is {v} (was {o})", "they gave us {v} as {k}", "note {k} {v}, the other one is gone", "forget {o}, {k} is {v}", "we settled on {v} for the {k}"]
TELL_DE = ["übrigens {k} ist jetzt {v}", "{k} hat gewechselt: {v}", "neu: {k} {v}", "ab heute {v} als {k}", "{k} ist nicht mehr {o} sondern {v}", "{o} gilt nicht mehr, {k} ist {v}", "ops hat {k} auf {v} gestellt", "nimm ab jetzt {v} für {k}"]
INIT = ["some basics so you have them: {l}", "env notes for this sprint: {l}", "settings you will need\n{l}", "for reference {l}"]

THINK = ["Let me look at how {a} is handled before changing anything.", "The {b} side probably calls into this, worth a check.", "The simplest fix seems to be in the {a} branch. I should keep the signature.", "Need to see the surrounding code first.",
  "The user wants a small diff, so I will only change the {a} part and leave {b} as it is.", "There are two places that could be responsible: where the {a} is read and where the {b} is merged. I will start with the first.",
  "This looks plausible, but I have to verify with the tests.", "Okay. The {j} case returns early, which explains the missing {a}.", "I should check the callers so nothing else depends on the old behaviour of {b}."]
SAY = ["Let me look at the {a} handling.", "Checking the {b} side.", "I'll start with the file you named.", "Now the change itself.", "Next, the tests.", "Found the spot.", "Looking at the callers now.", "Let me verify that."]
DONE = ["Done. The {a} is now handled for {j} {b}s; tests pass.", "Changed `{f}`: the {a} no longer depends on the {b}.", "Summary:\n- {a} is checked before the {b}\n- no other caller is affected\n\nLet me know if you want it split.",
  "That's in. I kept the diff to `{f}` and ran the checks.", "The {j} {a} came from the {b} branch in `{f}`. Fixed and verified.", "Here is what I found: `{f}` picks the last {a} unless the {b} is {j}. Nothing else reads it.", "Finished. One note: the {b} list is still unsorted, I left that alone.", "Implemented. `{f}` now covers the {b} case as well."]
DONE_DE = ["Erledigt. {a} wird jetzt auch bei {j} {b} behandelt.", "In `{f}` geändert, Tests sind grün.", "Fertig, nur `{f}` ist betroffen.", "Das lag am Zweig für {b} in `{f}`. Behoben."]


def told_values():
    """key -> (phrase, generator, [uses])"""
    c = random.choice
    return {
     "gw_port": ("gateway port", lambda r: str(r.randint(7000, 9900)), ["curl -s localhost:{v}/healthz", "./rl tail --port {v} --lines 20", "nc -z localhost {v} && echo up"]),
     "rel_branch": ("release branch", lambda r: f"release/{r.randint(4,9)}.{r.randint(10,60)}", ["git fetch origin {v}", "git log --oneline -5 origin/{v}", "git diff --stat origin/{v}"]),
     "region": ("failover region", lambda r: f"{r.choice(['eu','us','ap','sa'])}-{r.choice(['west','north','south','central','east'])}-{r.randint(1,9)}{r.choice('abcdef')}", ["./rl deploy plan --region {v}", "./rl capacity --region {v} --format short"]),
     "schema": ("schema version", lambda r: f"v{r.randint(2,6)}.{r.randint(10,70)}.{r.randint(0,9)}", ["./rl schema pull --version {v}", "./rl schema diff --to {v}"]),
     "tenant": ("sandbox tenant", lambda r: f"tn-{r.choice(ADJ)}-{r.choice(NOUN)}{r.randint(10,99)}", ["./rl tenant use {v}", "./rl tenant info {v}"]),
     "queue": ("alarm queue", lambda r: f"q-{r.choice(NOUN)}-{r.choice(ADJ)}{r.randint(10,99)}", ["./rl queue peek {v} -n 5", "./rl queue depth {v}"]),
     "bucket": ("export bucket", lambda r: f"hcf-exp-{r.choice(NOUN)}-{r.randint(100,999)}", ["aws s3 ls s3://{v}/daily/ | tail -3", "./rl export check --bucket {v}"]),
     "image": ("builder image", lambda r: f"bld-{r.randint(20,29)}{r.randint(10,52)}.{r.randint(1,9)}", ["docker pull ghcr.io/halyard/builder:{v}", "docker image inspect ghcr.io/halyard/builder:{v} --format '{{{{.Id}}}}'"]),
     "batch": ("batch quota", lambda r: str(r.randint(1100, 6900)), ["./rl ingest --batch {v} --dry-run", "./rl replay --max-rows {v} --dry-run"]),
     "dbhost": ("replica host", lambda r: f"pg-{r.choice(NOUN)}-{r.randint(10,99)}.hcf.internal", ["psql -h {v} -Atc 'select count(*) from depots'", "pg_isready -h {v}"]),
     "epic": ("epic id", lambda r: f"RLN-{r.randint(1000,9000)}", ["git log --oneline --grep {v} | head -5", "./rl ticket show {v}"]),
    }


def shown_values():
    """(service, setting) -> (generator, [uses])"""
    d = {}
    for s in CRATES:
        d[(s, "port")] = (lambda r: str(r.randint(20000, 49000)), ["curl -s http://" + s + ".staging.hcf.internal:{v}/metrics | head -5", "./rl probe " + s + " --port {v}"])
        d[(s, "image_tag")] = (lambda r: f"{r.randint(2,9)}.{r.randint(10,99)}.{r.randint(0,40)}-{r.getrandbits(20):05x}", ["./rl rollout status " + s + " --image {v}", "./rl image scan " + s + ":{v}"])
        d[(s, "topic")] = (lambda r, s=s: f"{s[:4]}.{r.choice(NOUN)}.{r.choice(ADJ)}.{r.randint(10,99)}", ["./rl topic tail {v} --service " + s + " -n 3", "./rl lag " + s + " --topic {v}"])
    return d


def phrase(r, t, **kw):
    d = dict(a=r.choice(NOUN), b=r.choice(NOUN), j=r.choice(ADJ), v=r.choice(VERB), n=r.randint(2, 40), num=r.randint(1000, 99999), ln=r.randint(10, 300),
             cust=r.choice(CUST), svc=r.choice(CRATES), f="that file")
    d.update(kw)
    if "{log}" in t:
        d["log"] = r.choice(LOGS).format(**d)
    return t.format(**d)


def typo(r, s, p):
    if r.random() > p or len(s) < 12:
        return s
    w = s.split(" ")
    for _ in range(1 + (r.random() < .3)):
        i = r.randrange(len(w))
        x = w[i]
        if len(x) > 4 and x.isalpha():
            k = r.randrange(1, len(x) - 2)
            w[i] = x[:k] + r.choice([x[k + 1] + x[k], x[k] * 2 + x[k + 1], x[k + 1]]) + x[k + 2:]
    return " ".join(w)
