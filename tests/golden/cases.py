"""The commands that are frozen: what each needs, its steps, and written files that are kept."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """Commands that are run one after the other in a fresh folder."""

    steps: tuple[str, ...]
    needs: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()  # written files whose content is frozen too
    fresh: bool = False  # lives, imports or audits anew, so that times and hashes over them differ


_A, _B = "lives/s2/*/*/*/seed_0", "lives/s2_careful/*/*/*/seed_0"
_SHORT = "--sessions 3 --pressure light --no-plots"
_LEDGER = "--ledger ledger/ledger.sqlite"
_TRIAL = "inputs/imports/trajectory/trajectory.jsonl"
_RAW, _STRUCTURED = "resumption/raw-b500-*", "resumption/structured-b500-*"
_PUBLIC = "resumption init . --public --json"
_TEXT = "--kind text-only"  # executing the others would take its time
_IMPORTS = {
    "verifiers": "import-verifiers inputs/imports/verifiers",
    "prime": "import-prime --evaluation-json inputs/imports/prime/evaluation.json"
    " --samples-json inputs/imports/prime/samples.json",
    "atif": "import-atif inputs/imports/atif/trajectory.json",
    "harbor": "import-harbor inputs/imports/harbor",
    "inspect": "import-inspect inputs/imports/inspect",
    "trajectory": "import-trajectory inputs/imports/trajectory",
    "ledger": "import-ledger inputs/imports/folder_ledger",
}
_ERRORS = {
    "no_command": "frobnicate",
    "wrong_option": "run --frobnicate",
    "wrong_scenario": "run -s s9 --json",
    "wrong_memory": "run -s s1 --memory lossy --json",
    "wrong_model": "run -s s1 --model extractiv --json",
    "wrong_dial": "run -s s1 --dial speed=3 --json",
    "wrong_event": "plan -s s2 -e dream@3 --json",
    "wrong_pressure": "plan -s s2 -p enormous --json",
    "wrong_suite": "run --suite huge --json",
    "missing_run": "score nowhere --json",
    "missing_card": "card show nowhere.json --json",
    "missing_study": "study nowhere.yaml --json",
    "missing_trace": "audit nowhere.jsonl --json",
    "missing_ledger": "trials list --ledger nowhere.sqlite --json",
    "missing_baseline": "gate nowhere.json --baseline elsewhere.json --json",
    "missing_episodes": "resumption check nowhere --json",
    "no_calibration_of_ones_own": "resumption calibrate --json",
    "unknown_consolidator": "resumption run -c magic --json",
}

CASES: dict[str, Case] = {
    # What there is.
    "help": Case(("--help",)),
    "list": Case(("list --json", "list memory", "list scenarios")),
    "doctor": Case(("doctor --json",)),
    "demo": Case(("demo --out demo --json",), fresh=True),
    # Plans.
    "plan": Case(("plan -s s2 -n 4 -p light --seed 1 --json", "plan -s s4 -n 3 -p light")),
    "plan_events": Case(
        ("plan -s s2 -n 5 -p light -e recompact@3 -d update_rate=0.5 --seed 2 --json",)
    ),
    # Lives.
    "run_text": Case((f"run -s s2 {_SHORT} --out runs",), fresh=True),
    "run_seeds": Case((f"run -s s3 {_SHORT} --seeds 1,3 --out runs --json",), fresh=True),
    "run_plots": Case(
        ("run -s s1 --sessions 3 --pressure light --out runs --plots --json",), fresh=True
    ),
    "run_again": Case((f"run -s s1 {_SHORT} --out runs --json",) * 2, fresh=True),
    "run_system_file": Case(
        ("run --sut inputs/system.yaml --no-plots --json",), ("inputs/system.yaml",), fresh=True
    ),
    "run_dry": Case(("run -s s2 -n 4 -p light --seeds 2 --dry-run --json",)),
    "run_ledger": Case(
        (f"run -s s1 {_SHORT} --out runs --json", "trials list --json", "trials verify --json"),
        fresh=True,
    ),
    "run_extend": Case(
        (
            "run --extend lives/s2_typed_state/*/*/*/seed_0 --sessions 5 --no-plots --ledger none"
            " --json",
        ),
        ("lives/s2_typed_state",),
        fresh=True,
    ),
    "reproduce": Case(
        (
            "reproduce lives/s1/*/*/*/seed_0 --json",
            "reproduce lives/s2_events/*/*/*flush*/seed_0 --json",
        ),
        ("lives/s1", "lives/s2_events"),
        fresh=True,
    ),
    "reproduce_text": Case(
        ("reproduce lives/s4_append_only/*/*/*/seed_0",), ("lives/s4_append_only",), fresh=True
    ),
    # Studies.
    "study_dry": Case(
        ("study inputs/grid.yaml --dry-run --json", "study inputs/grid.yaml --dry-run"),
        ("inputs/grid.yaml",),
    ),
    "study": Case(
        ("study inputs/grid.yaml --out runs --workers 1 --json",), ("inputs/grid.yaml",), fresh=True
    ),
    "study_shards": Case(
        (
            "study inputs/grid.yaml --out a --shard 1/2 --workers 1 --json",
            "study inputs/grid.yaml --out b --shard 2/2 --workers 1 --json",
            "merge a b --out whole --json",
            "compare --table whole --json",
        ),
        ("inputs/grid.yaml",),
        fresh=True,
    ),
    "merge": Case(
        ("merge lives/s2 lives/s2_careful --out whole --json", "compare --table whole --json"),
        ("lives/s2", "lives/s2_careful"),
    ),
    # What is made of lives.
    "score": Case(
        ("score lives --no-plots --json",), ("lives/s1", "lives/s2_events", "lives/s1_diagnosed")
    ),
    "score_text": Case(("score lives/s2 --no-plots",), ("lives/s2",)),
    "score_stopped": Case(("score lives/s6_stopped --json",), ("lives/s6_stopped",)),
    "diagnose": Case(
        ("diagnose lives/s4_append_only lives/s5 --no-plots --json",),
        ("lives/s4_append_only", "lives/s5"),
        ("lives/*/*/*/*/seed_0/diagnosis.json",),
        fresh=True,
    ),
    "diagnose_text": Case(("diagnose lives/s1_diagnosed --no-plots",), ("lives/s1_diagnosed",)),
    "autopsy": Case(
        ("autopsy lives/s3 --json", "autopsy lives/s2_events --json"),
        ("lives/s3", "lives/s2_events"),
    ),
    "autopsy_text": Case(
        ("autopsy lives/s1 --limit 3", "autopsy lives/s5 --all"), ("lives/s1", "lives/s5")
    ),
    "compare": Case(
        (
            f"compare {_A} {_B} --json",
            "compare lives/s2 lives/s2_careful --json",
            "compare lives/s1 lives/s3 --json",
        ),
        ("lives/s1", "lives/s2", "lives/s2_careful", "lives/s3"),
    ),
    "compare_text": Case(
        ("compare lives/s2 lives/s2_careful", "compare --table lives/s2 lives/s2_careful"),
        ("lives/s2", "lives/s2_careful"),
    ),
    "gate": Case(
        (
            f"gate {_A}/aging_card.json --baseline {_B}/aging_card.json --junit gate.xml --json",
            f"gate {_B}/aging_card.json --baseline {_A}/aging_card.json --max-drop 0 --json",
            f"gate {_A}/aging_card.json --baseline {_A}/aging_card.json --require-power --json",
            f"gate {_A}/aging_card.json --baseline {_B}/aging_card.json",
        ),
        ("lives/s2", "lives/s2_careful"),
        ("gate.xml",),
    ),
    "card": Case(
        (
            "card show lives/s1_diagnosed/*/*/*/seed_0 --json",
            "card validate lives/s1_diagnosed/*/*/*/seed_0/aging_card.json"
            " lives/s2/*/*/*/*/aging_card.json --json",
            "card validate inputs/imports/prime/evaluation.json --json",
        ),
        ("lives/s1_diagnosed", "lives/s2", "inputs/imports"),
    ),
    "card_text": Case(("card show lives/s2_controller/*/*/*/seed_0",), ("lives/s2_controller",)),
    # Audits.
    "audit_project": Case(
        (
            "audit inputs/projects/aging --out audits --json",
            "audit inputs/projects/young --json",
            "audit inputs/projects/steady --against audits/aging_card.json --json",
        ),
        ("inputs/projects",),
        fresh=True,
    ),
    "audit_fleet": Case(("audit inputs/projects --json",), ("inputs/projects",), fresh=True),
    "audit_text": Case(
        ("audit inputs/projects/aging", "audit inputs/projects"), ("inputs/projects",), fresh=True
    ),
    "audit_outcomes": Case(
        (
            "audit inputs/projects/aging --outcomes inputs/outcomes.jsonl --fail-on aging --json",
            "audit inputs/projects/aging --since 2026-01-10 --profile generic --no-scrub --json",
            "audit inputs/projects/aging --extract claude_session_flags"
            " --extract record_patterns --json",
        ),
        ("inputs/projects/aging", "inputs/outcomes.jsonl"),
        fresh=True,
    ),
    "audit_generic": Case(
        ("audit inputs/generic.jsonl --json", "audit inputs/generic.jsonl --format generic --json"),
        ("inputs/generic.jsonl",),
        fresh=True,
    ),
    "audit_lives": Case(
        ("audit lives/s5/*/*/*/seed_0/trace.jsonl --json",), ("lives/s5",), fresh=True
    ),
    "archive": Case(
        (
            "archive inputs/projects --to kept --json",
            "archive inputs/projects --to kept --json",
            "audit kept --json",
        ),
        ("inputs/projects",),
        fresh=True,
    ),
    # Trials.
    "trials_list": Case(
        (
            f"trials list {_LEDGER} --json",
            f"trials list {_LEDGER} --task s2 --sort reward --desc --limit 2 --json",
            f"trials list {_LEDGER} --completeness partial --json",
            f"trials list {_LEDGER}",
        ),
        ("ledger",),
    ),
    "trials_verify": Case(
        (f"trials verify {_LEDGER} --json", f"trials verify {_LEDGER}"), ("ledger",)
    ),
    "trials_wrong_head": Case((f"trials verify {_LEDGER} --head {'1' * 64} --json",), ("ledger",)),
    "trials_show": Case(
        (
            f"trials show s1 {_LEDGER} --json",
            f"trials show s4 {_LEDGER}",
            f"trials show none {_LEDGER} --json",
        ),
        ("ledger",),
    ),
    "trials_summary": Case(
        (
            f"trials summary s1 s5 {_LEDGER} --json",
            "trials summary lives/s2_controller/*/*/*/seed_0 --json",
            f"trials summary {_TRIAL} --json",
            f"trials summary {_TRIAL}",
        ),
        ("ledger", "lives/s2_controller", "inputs/imports/trajectory"),
    ),
    "trials_classify": Case(
        (f"trials classify s1 s5 {_LEDGER} --json", f"trials classify {_TRIAL} --json"),
        ("ledger", "inputs/imports/trajectory"),
    ),
    "trials_compare": Case(
        (f"trials compare s1 s4 s5 {_LEDGER} --json", f"trials compare {_TRIAL} s1 {_LEDGER}"),
        ("ledger", "inputs/imports/trajectory"),
    ),
    "trials_rank": Case(
        (f"trials rank {_LEDGER} --json", f"trials rank --task s2 {_LEDGER}"), ("ledger",)
    ),
    "trials_trace": Case(
        (
            f"trials trace {_TRIAL} --json",
            f"trials trace {_TRIAL} --errors",
            f"trials trace s1 --session 2 --limit 4 {_LEDGER} --json",
        ),
        ("ledger", "inputs/imports/trajectory"),
    ),
    "trials_review": Case(
        (
            f"trials review s1 --reviewer ana --judgment pass --notes fine {_LEDGER} --json",
            f"trials review s1 --reviewer ben --judgment fail --category stale {_LEDGER} --json",
            f"trials review s4 --reviewer ana --judgment fail {_LEDGER} --json",
            f"trials review s4 --reviewer ben --judgment fail {_LEDGER} --json",
            f"trials agreement {_LEDGER} --json",
            f"trials verify {_LEDGER} --json",
        ),
        ("ledger",),
        fresh=True,
    ),
    "trials_export": Case(
        (
            f"trials export all.jsonl {_LEDGER} --json",
            f"trials export all.parquet {_LEDGER} --json",
        ),
        ("ledger",),
        ("all.jsonl",),
    ),
    "trials_seal": Case(
        (
            "trials import-trajectory inputs/imports/trajectory --ledger l.sqlite --json",
            "trials seal run-trajectory --input inputs/grid.yaml --task-file grid.yaml"
            " --tool python=3.11.7 --adapter-revision 1 --ledger l.sqlite --json",
            "trials verify --ledger l.sqlite --json",
        ),
        ("inputs/imports/trajectory", "inputs/grid.yaml"),
        fresh=True,
    ),
    "trials_add": Case(
        ("trials add lives --ledger l.sqlite --json",) * 2
        + ("trials list --ledger l.sqlite --json",),
        ("lives/s2", "lives/s3", "lives/s2_typed_state"),
        fresh=True,
    ),
    "trials_quarantined": Case((f"trials quarantined {_LEDGER} --json",), ("ledger",)),
    **{
        f"trials_import_{name}": Case(
            (
                f"trials {words} -l l.sqlite --json",
                f"trials {words} -l l.sqlite",
                "trials list -l l.sqlite --json",
            ),
            ("inputs/imports",),
            fresh=True,
        )
        for name, words in _IMPORTS.items()
    },
    # Resumption.
    "resumption_check": Case((f"resumption check {_TEXT} --json",)),
    "resumption_calibrate": Case(
        (_PUBLIC, "resumption calibrate --json"), keep=("benchmark/calibration/kappa_report.md",)
    ),
    **{
        f"resumption_run_{name}": Case(
            (_PUBLIC, f"resumption run -c {name} -b 500 {_TEXT} --ledger none --json"),
            keep=("benchmark/runs/*/rows.jsonl", "benchmark/runs/*/*.json"),
            fresh=True,
        )
        for name in ("raw", "structured")
    },
    "resumption_run_text": Case(
        (
            _PUBLIC,
            f"resumption run -c summary -b 250 {_TEXT}",
            "trials rank -l benchmark/runs --json",
        ),
        fresh=True,
    ),
    "resumption_compare": Case(
        (
            f"resumption compare {_STRUCTURED} {_RAW} --json",
            f"resumption compare {_STRUCTURED} {_RAW} --source session",
            f"resumption plan --effect 0.1 --runs {_RAW} {_STRUCTURED} --json",
        ),
        ("resumption",),
    ),
    "resumption_pareto": Case(
        (
            f"resumption pareto {_RAW} {_STRUCTURED} --json",
            f"resumption pareto {_RAW} {_STRUCTURED}",
        ),
        ("resumption",),
    ),
    "resumption_falsify": Case(
        (_PUBLIC, f"resumption falsify -b 500 {_TEXT} --ledger none --json")
    ),
    "resumption_plan": Case(
        ("resumption plan --effect 0.1 --json", "resumption plan --effect 0.05 --sd 0.3")
    ),
    "resumption_cut": Case(
        (f"resumption cut {_TRIAL} --at 4 --inline --json", f"resumption cut {_TRIAL} --at 3"),
        ("inputs/imports/trajectory",),
    ),
    # Instruments.
    "validate_bounds": Case(("validate bounds -s s1 -s s5 --seeds 2 -n 4 --workers 1 --json",)),
    "validate_faults": Case(("validate faults -s s1 --seeds 1 -n 3 --workers 1 --json",)),
    "validate_telemetry": Case(
        ("validate telemetry --agents 1 --planted 1 --permutations 199 --work 0 --json",)
    ),
    # What goes wrong.
    **{f"error_{name}": Case((words,)) for name, words in _ERRORS.items()},
}
