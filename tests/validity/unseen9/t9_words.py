"""Wording: what users and agents of the Kelpline project say (English and German)."""
from __future__ import annotations

MODS = ["fares", "tides", "manifests", "berths", "timetable", "vouchers", "crew", "freight",
        "kiosk", "notify", "ledger", "weather", "refunds", "loyalty"]
STEMS = ["rules", "model", "api", "store", "jobs", "validate", "export", "parser", "client", "cache"]
SYMS = ["apply_cap", "next_slack_water", "merge_legs", "seat_count", "round_minor", "expand_recurrence",
        "to_manifest_row", "assign_berth", "hold_expires_at", "split_party", "is_sailing_open",
        "load_schedule", "bump_priority", "format_eta", "price_vehicle", "queue_notice", "normalize_plate",
        "refund_ratio", "crew_rest_hours", "stopover_window", "lookup_voucher", "tide_offset"]
THINGS_EN = ["bicycle surcharge", "winter timetable", "late boarding", "group discount", "dog tickets",
             "cancelled sailings", "partial refunds", "trailer lengths", "island residents", "night crossings",
             "wheelchair spaces", "split bookings", "tide corrections", "berth swaps", "no-show fees",
             "gift vouchers", "crew swaps", "hazmat declarations", "kiosk timeouts", "SMS notices",
             "currency rounding", "double bookings", "school trips", "stand-by lists"]
THINGS_DE = ["Fahrradzuschlag", "Winterfahrplan", "späten Zustieg", "Gruppenrabatt", "Hundetickets",
             "ausgefallene Fahrten", "Teilerstattungen", "Anhängerlängen", "Inselbewohner", "Nachtfahrten",
             "Rollstuhlplätze", "geteilte Buchungen", "Gezeitenkorrektur", "Liegeplatztausch", "Gutscheine",
             "Dienstplantausch", "Gefahrgut", "Kiosk-Timeouts", "SMS-Hinweise", "Rundung", "Doppelbuchungen"]
CONDS_EN = ["when the sailing is full", "for sailings after midnight", "if the voucher has expired",
            "with more than nine passengers", "on the first of the month", "when the tide table is missing",
            "for vehicles over 6 m", "if the customer pays cash", "after a berth change", "during the DST switch",
            "for return trips", "when the kiosk is offline", "if two agents book at once"]
CONDS_DE = ["wenn die Fahrt voll ist", "bei Fahrten nach Mitternacht", "wenn der Gutschein abgelaufen ist",
            "bei mehr als neun Personen", "am Monatsersten", "wenn die Tidentabelle fehlt",
            "bei Fahrzeugen über 6 m", "bei Barzahlung", "nach einem Liegeplatzwechsel", "bei der Zeitumstellung",
            "bei Rückfahrten", "wenn der Kiosk offline ist"]

REQ_EN = {
    "feature": [
        "Add support for {thing} in {file}.", "We need {thing} {cond}. Start in {base} I think",
        "please implement {thing} for the {mod} service", "Extend `{sym}` in {base} so that it handles {thing} {cond}",
        "New requirement from the harbour office: {thing} must work {cond}. The code is in {file}, tests sit beside the others under tests/{mod}.",
        "can you build the {thing} bit in {mod}?", "Let's do {thing} today. {file} is the place.",
        "Next ticket: KEL-{num}, {thing} {cond}. Touch {base} and whatever else needs it.",
        "implement {sym} properly, right now {base} just returns a stub",
        "I want {thing} to be configurable per route. See {file}.",
        "hook {sym} into {mod}, {cond}", "Refactor {file}: pull the part about {thing} out into its own function and keep behaviour.",
        "Customer asks for {thing}. Could you look at {base} and add it, with a test?",
        "Make {sym} accept a list as well, {thing} comes in batches now"],
    "bugfix": [
        "{thing} is broken {cond}, can you look into {file}?", "Bug: {sym} returns the wrong total {cond}.",
        "KEL-{num}: crash in {base} {cond}. Find out why and fix it", "tests for {mod} are red since this morning",
        "Someone at the pier reported {thing} acting up {cond}. I suspect {base}.",
        "why does {sym} ignore {thing}? fix please", "There's an off by one in {file}, {thing} {cond}",
        "the {mod} job dies with a KeyError, traceback mentions {sym}", "fix the flaky test around {thing} in {mod}",
        "Looks like {base} counts {thing} twice {cond}. Please reproduce first, then fix.",
        "{mod}: {thing} come out as zero {cond}", "regression in {file} -- {thing} worked last week"],
    "ops": [
        "Roll out {mod} to staging and check it comes up", "is {mod} healthy on staging? have a look",
        "Restart the {mod} worker and watch it for a minute", "Please check the staging environment for {mod}, {thing} look stuck",
        "bring up the {mod} service locally and hit the health endpoint", "Rotate the config for {mod} (ops/{mod}.yaml) and redeploy",
        "queue depth for {mod} seems off. check and drain if needed", "Deploy what we have for {mod}, then smoke test {thing}",
        "see why the {mod} rollout hangs", "sync {mod} to the stage box and confirm {thing}"],
    "docs": [
        "Update docs/{mod}.md, {thing} is missing", "Write a short howto on {thing} for the harbour staff",
        "the {mod} docs still describe the old flow {cond}, please bring them up to date",
        "Document `{sym}` in docs/{mod}.md with an example", "README section for {mod} please, half a page, mention {thing}",
        "clean up the wording in docs/{mod}.md", "Add a changelog entry for {thing}",
        "our docs say nothing on {thing} {cond}. add that"],
    "data": [
        "How many {thing} did we have last month? query the stage db", "Write a migration for {mod} that adds a column for {thing}",
        "check in the database whether {thing} exist {cond}", "Backfill {thing} for {mod}, dry run first",
        "pull a CSV of {thing} out of {mod} for finance", "The {mod} table has duplicates {cond}; list them",
        "compare ledger totals with {mod} for the sandbox account", "load the new season's {thing} and show me the first rows"],
    "review": [
        "Review the last commits on {mod}, anything worrying?", "Explain how {sym} works {cond}",
        "take a look at the diff of {file} and tell me what you'd change", "where do we handle {thing}? just tell me, no changes",
        "Is {base} safe {cond}? Read it critically please.", "walk me through {mod}, I have to present it tomorrow",
        "What would break if we dropped {sym}?", "quick review of {file} before I merge"],
}
TERSE_EN = {
    "feature": ["{thing} in {base}", "add {thing}", "impl {sym}", "same for {mod}", "{mod}: {thing}"],
    "bugfix": ["{mod} red", "fix {sym}", "{thing} broken", "{base} crash", "fix {base}"],
    "ops": ["deploy {mod}", "{mod} up?", "restart {mod}", "rollout {mod}"],
    "docs": ["docs {mod}", "document {sym}", "changelog {thing}"],
    "data": ["count {thing}", "csv {mod}", "migration {mod}", "dupes in {mod}?"],
    "review": ["review {base}", "explain {sym}", "{mod} ok?", "where's {thing}"],
}
REQ_DE = {
    "feature": ["Bau bitte {thing} in {file} ein.", "Wir brauchen {thing} {cond}. Fang am besten in {base} an.",
                "kannst du {thing} im {mod}-Dienst umsetzen?", "Ticket KEL-{num}: {thing} {cond}, betrifft {base}",
                "Erweitere `{sym}` so, dass {thing} {cond} funktioniert", "zieh den Teil zu {thing} aus {file} in eine eigene Funktion",
                "{thing} soll pro Strecke einstellbar sein, siehe {file}", "bitte {sym} in {mod} einhängen, {cond}",
                "Das Hafenamt will {thing}. Schau dir {base} an und ergänze es samt Test."],
    "bugfix": ["{thing} gehen nicht {cond}, schau mal in {file}", "Fehler: {sym} liefert die falsche Summe {cond}.",
               "die Tests von {mod} sind seit heute früh rot", "KEL-{num}: Absturz in {base} {cond}, bitte finden und beheben",
               "warum ignoriert {sym} {thing}? bitte reparieren", "{mod}-Job bricht mit KeyError ab, im Traceback steht {sym}",
               "{base} zählt {thing} doppelt {cond}. erst nachstellen, dann beheben"],
    "ops": ["Spiel {mod} auf Staging aus und prüf, ob es hochkommt", "läuft {mod} auf staging? bitte nachsehen",
            "starte den {mod}-Worker neu und beobachte ihn kurz", "Die Warteschlange von {mod} sieht komisch aus, bitte prüfen",
            "fahr {mod} lokal hoch und ruf den Health-Endpunkt auf", "Rollout von {mod} hängt, woran liegts?"],
    "docs": ["Aktualisiere docs/{mod}.md, {thing} fehlt", "Schreib eine kurze Anleitung zu {thing} fürs Hafenpersonal",
             "Dokumentiere `{sym}` in docs/{mod}.md mit Beispiel", "in der Doku zu {mod} steht noch der alte Ablauf {cond}",
             "Changelog-Eintrag für {thing} bitte"],
    "data": ["Wie viele {thing} gab es letzten Monat? frag die Stage-DB", "Migration für {mod}: neue Spalte für {thing}",
             "prüf in der Datenbank, ob {thing} {cond} vorkommen", "CSV mit {thing} aus {mod} für die Buchhaltung",
             "in {mod} gibt es Dubletten {cond}, bitte auflisten", "{thing} für {mod} nachtragen, erst Probelauf"],
    "review": ["Schau die letzten Commits zu {mod} durch, irgendwas bedenklich?", "Erklär mir, wie {sym} {cond} arbeitet",
               "wo behandeln wir {thing}? nur sagen, nichts ändern", "Kurzes Review von {file} vor dem Merge",
               "führ mich durch {mod}, ich muss das morgen vorstellen"],
}
OPEN_EN = ["", "", "", "", "ok, ", "Great. ", "thanks! ", "hey, ", "Next: ", "alright ", "cool, ", "good morning. ", "Nice work. "]
OPEN_DE = ["", "", "", "", "ok, ", "Super. ", "danke! ", "Moin, ", "Weiter: ", "gut, ", "prima, ", "Guten Morgen. "]
DETAIL_EN = [("touch_tests", "Leave the tests alone for now.", "Should I adapt the tests as well, or leave them?", "leave the tests alone"),
             ("commit", "don't commit yet", "Shall I commit this?", "not yet, no commit"),
             ("lang", "keep messages in English", "Which language should the messages be in?", "english"),
             ("scope", "Only the desk app, not the kiosk.", "Should this apply to the kiosk too, or only the desk app?", "desk app only"),
             ("compat", "Python 3.9 still has to work.", "Which Python version do I have to support?", "3.9 must still work"),
             ("route", "it's about the Skerry route only", "Which route is this about?", "the Skerry route"),
             ("round", "round half up, as finance wants it", "How should amounts be rounded?", "half up, finance wants that"),
             ("deps", "no new dependencies please", "May I add a dependency for this?", "no new deps"),
             ("unit", "Lengths are in centimetres.", "Are the lengths in metres or centimetres?", "centimetres"),
             ("tz", "all times are UTC", "Are these times local or UTC?", "UTC"),
             ("format", "output as CSV with semicolons", "What format do you want for the output?", "csv, semicolons"),
             ("feature_flag", "put it behind a flag", "Should this go behind a feature flag?", "yes, behind a flag")]
DETAIL_DE = [("touch_tests", "Die Tests bitte nicht anfassen.", "Soll ich die Tests mit anpassen?", "nein, Tests nicht anfassen"),
             ("commit", "noch nicht committen", "Soll ich das committen?", "noch nicht"),
             ("scope", "Nur die Desk-App, nicht der Kiosk.", "Soll das auch für den Kiosk gelten?", "nur Desk-App"),
             ("route", "es geht nur um die Schärenlinie", "Um welche Linie geht es?", "die Schärenlinie"),
             ("round", "kaufmännisch runden", "Wie soll gerundet werden?", "kaufmännisch"),
             ("deps", "keine neuen Abhängigkeiten", "Darf ich eine Abhängigkeit hinzufügen?", "nein, keine neuen"),
             ("unit", "Längen sind in Zentimetern.", "Sind die Längen in Metern oder Zentimetern?", "Zentimeter"),
             ("tz", "alle Zeiten sind UTC", "Sind die Zeiten lokal oder UTC?", "UTC"),
             ("format", "Ausgabe als CSV mit Semikolon", "In welchem Format soll die Ausgabe sein?", "CSV, Semikolon")]
ANS_EN = ["{a}", "{a}", "{a}, like I wrote", "{a} please", "as said: {a}", "{a}. go on", "it's {a}", "{a}, see above"]
ANS_DE = ["{a}", "{a}", "{a}, wie oben geschrieben", "{a} bitte", "wie gesagt: {a}", "{a}, mach weiter", "siehe oben, {a}"]
NEWQ_EN = [("Do you want a database constraint for this too?", "yes please"), ("Should old bookings be migrated?", "no, only new ones"),
           ("Shall I split this into two commits?", "one is fine"), ("Would you like a warning in the log in that case?", "sure"),
           ("Is the rounding per leg or per booking?", "per booking"), ("Keep the old endpoint as an alias?", "for one release, yes")]
NEWQ_DE = [("Möchtest du auch einen Datenbank-Constraint?", "ja bitte"), ("Sollen alte Buchungen migriert werden?", "nein, nur neue"),
           ("Soll ich in zwei Commits teilen?", "einer reicht"), ("Soll in dem Fall eine Warnung ins Log?", "ja")]
CORR_EN = [
    "No, that's not what I asked for. I meant {thing}, not the other way round.", "that's wrong, {sym} now breaks {cond}",
    "you changed the wrong place, it should be {base}", "Hm, this is not right. {thing} still fails {cond}.",
    "nope. undo that and do {thing} instead", "I didn't ask you to touch {sym}, please revert that part",
    "Wrong. The total has to include {thing}.", "you misunderstood me: {thing} only {cond}",
    "This doesn't do what I wanted, look again at {base}", "that isn't correct, {mod} must stay as it was {cond}",
    "why did you remove {sym}?? put it back", "still not working {cond}, your change in {base} has no effect",
    "Please redo this, you forgot {thing}", "not good: you hard-coded {thing}", "You got it backwards. {cond} it must NOT apply.",
    "sorry but no, {base} was fine before, fix it properly", "that broke {mod}. please repair what you did",
    "the result is wrong {cond}, check {sym} again", "I said {thing}, you did something else entirely",
    "Your version of {sym} drops {thing}. Do it again.", "wrong file! I told you {file}", "this is incorrect, try again with {thing} in mind",
    "You missed the case {cond}.", "hmm no, that makes it worse. {thing} is now counted twice", "not like that - keep the signature of {sym}",
    "The change in {base} is not what we discussed, revert and follow the ticket", "actually you were supposed to leave {mod} alone",
    "you skipped half of it, {thing} is missing", "That's the old behaviour again, I wanted it changed {cond}",
    "didn't work, same error as before in {sym}", "No no, {thing} first, then the rest. Redo it", "please correct your last change, {base} fails {cond}"]
CORR_DE = [
    "Nein, das war nicht gemeint. Ich wollte {thing}, nicht andersrum.", "das ist falsch, {sym} geht jetzt nicht mehr {cond}",
    "du hast an der falschen Stelle geändert, es muss {base} sein", "Stimmt so nicht. {thing} klappt immer noch nicht {cond}.",
    "nee, mach das rückgängig und bau {thing}", "ich hatte nicht gesagt, dass du {sym} anfassen sollst, bitte zurück",
    "Falsch. {thing} muss mit rein.", "du hast mich missverstanden: {thing} nur {cond}", "das tut nicht, was ich wollte, schau nochmal in {base}",
    "warum hast du {sym} gelöscht?? bitte wieder rein", "geht immer noch nicht {cond}, deine Änderung in {base} bringt nichts",
    "Bitte nochmal, du hast {thing} vergessen", "nicht gut: {thing} ist jetzt fest verdrahtet", "Genau verkehrt herum. {cond} darf es NICHT gelten.",
    "das hat {mod} kaputt gemacht, bitte reparieren", "das Ergebnis ist falsch {cond}, prüf {sym} nochmal",
    "ich sagte {thing}, du hast was ganz anderes gemacht", "falsche Datei! ich hatte {file} gesagt", "Du hast den Fall {cond} übersehen.",
    "hm nein, das macht es schlimmer, {thing} zählt jetzt doppelt", "nicht so - die Signatur von {sym} muss bleiben",
    "Die Hälfte fehlt, {thing} ist nicht drin", "das war so nicht abgesprochen, bitte zurücknehmen und nach Ticket machen",
    "hat nicht funktioniert, gleicher Fehler in {sym} wie vorher", "bitte korrigier deine letzte Änderung, {base} schlägt fehl {cond}"]
SAY_EN = ["Let me look at {base} first.", "I'll check how {sym} is used.", "Now the actual change.", "Next I'll run the tests.",
          "That narrows it down to {mod}.", "Let me verify this.", "I see, {sym} is called from two places.", "Good, that works. Now the rest.",
          "Let me look at the surrounding code.", "I'll start with {mod}.", "Checking the current state before I change anything."]
SAY_DE = ["Ich sehe mir zuerst {base} an.", "Ich prüfe, wo {sym} benutzt wird.", "Jetzt die eigentliche Änderung.", "Als Nächstes die Tests.",
          "Damit bleibt {mod} übrig.", "Das prüfe ich kurz.", "Gut, das klappt. Nun der Rest.", "Ich schaue mir den umliegenden Code an."]
THINK = ["The user wants {thing}. The relevant code seems to be in {base}, so I should look there before changing anything.",
         "{sym} probably gets called with the raw row. I need to check the caller.", "I should keep the change small and then run the {mod} tests.",
         "There may be a second place in {mod} that does the same.", "Let me think about what happens {cond}.",
         "The output looks as expected, so the next step is to adapt {sym}."]
END_EN = ["Done. {base} now covers {thing}.", "That's in place: `{sym}` handles it {cond}. Tests for {mod} ran through.",
          "Finished. Summary:\n\n- changed `{sym}` in {base}\n- kept the public interface\n- no other callers affected",
          "I've made the change in {base} and checked it.", "Here's what I found: `{sym}` in {base} is where {thing} get decided; {cond} the default applies.",
          "All set. {mod} looks fine now.", "The cause was in `{sym}`; it's fixed and covered."]
END_DE = ["Fertig. {base} deckt jetzt {thing} ab.", "Ist drin: `{sym}` kommt damit zurecht {cond}.", "Erledigt. Zusammenfassung:\n\n- `{sym}` in {base} geändert\n- Schnittstelle unverändert",
          "Die Änderung in {base} ist gemacht und geprüft.", "Die Ursache lag in `{sym}`, das ist behoben.", "{mod} sieht jetzt gut aus."]
# values that people state and replace -----------------------------------------------------------------
# key: (label EN, label DE, option, json key)
VALUES = {
    "tides_port": ("dev port of the tides service", "Dev-Port des Gezeitendienstes", "--port", "port"),
    "staging_host": ("staging host", "Staging-Host", "--host", "host"),
    "release": ("release to roll out", "auszurollende Release", "--release", "release"),
    "account": ("sandbox account", "Sandbox-Konto", "--account", "account_id"),
    "season_start": ("season start", "Saisonstart", "--season-start", "season_start"),
    "database": ("stage database", "Stage-Datenbank", "--database", "database"),
    "branch": ("integration branch", "Integrationsbranch", "--branch", "branch"),
    "queue": ("manifest queue", "Manifest-Queue", "--queue", "queue"),
    "bucket": ("scan bucket", "Scan-Bucket", "--bucket", "bucket"),
}
TELL_EN = ["The {label} is {v}.", "{label}: {v}", "use {v} as {label}", "by the way the {label} is {v}", "{v} is the {label}, use that one"]
RETELL_EN = ["The {label} is {v} now, no longer {o}.", "{label} changed: {v}", "use {v} as {label} from now on", "heads up, {label} moved from {o} to {v}",
             "we switched the {label} to {v}", "{label} is {v} as of today", "new {label}: {v} (was {o})", "Forget {o}, the {label} is {v} now."]
TELL_DE = ["{label} ist {v}.", "{label}: {v}", "nimm {v} als {label}", "übrigens, {label} ist {v}"]
RETELL_DE = ["{label} ist jetzt {v}, nicht mehr {o}.", "{label} geändert: {v}", "ab jetzt {v} als {label}", "Achtung, {label} wechselt von {o} auf {v}",
             "neu: {label} {v} (vorher {o})", "{label} ist seit heute {v}"]
