"""Importers by name: each turns evidence of another harness into trials of a ledger."""

from agingbench.registry import Registry

IMPORTERS = Registry(
    "importer",
    "agingbench.importers",
    {
        "inspect": "agingbench.trials.importers.format_logs:InspectImporter",
        "atif": "agingbench.trials.importers.format_logs:AtifImporter",
        "prime": "agingbench.trials.importers.prime:PrimeImporter",
        "verifiers": "agingbench.trials.importers.verifiers:VerifiersImporter",
        "ledger": "agingbench.trials.importers.folder_ledgers:FolderLedgerImporter",
        "trajectory": "agingbench.trials.importers.trajectories:TrajectoryImporter",
    },
    aliases={"harbor": "atif"},
)
