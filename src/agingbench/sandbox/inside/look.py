"""Reports what a guest sees: user, network interfaces, processes, writable places."""

from __future__ import annotations

import os
import socket
from typing import TypedDict


class View(TypedDict):
    """What a confined process sees of itself and its surroundings."""

    uid: int
    pid: int
    interfaces: list[str]
    capabilities: list[str]
    no_new_privileges: bool
    root: list[str]
    writable: list[str]
    namespaces: dict[str, str]
    processes: list[int]
    variables: list[str]
    files: list[str]


def can_write(folder: str) -> bool:
    """Tell whether a file can be made in the folder."""
    try:
        with open(f"{folder}/.try", "w"):
            return True
    except OSError:
        return False


def look() -> View:
    """Return the view of this process."""
    status = {}
    with open("/proc/self/status") as file:
        for line in file:
            name, tab, value = line.rstrip("\n").partition(":\t")
            if tab:
                status[name] = value

    kinds = ("user", "mnt", "net", "pid", "ipc", "uts")
    capability_sets = ("CapEff", "CapPrm", "CapInh", "CapAmb")
    folders = ("/", "/usr", "/proc", "/box")
    files = sorted(os.listdir("/box"))
    return {
        "uid": os.getuid(),
        "pid": os.getpid(),
        "interfaces": [name for _, name in socket.if_nameindex()],
        "capabilities": [name for name in capability_sets if int(status[name], 16)],
        "no_new_privileges": status["NoNewPrivs"] == "1",
        "root": sorted(os.listdir("/")),
        "writable": [folder for folder in folders if can_write(folder)],
        "namespaces": {kind: os.readlink(f"/proc/self/ns/{kind}") for kind in kinds},
        "processes": sorted(int(name) for name in os.listdir("/proc") if name.isdigit()),
        "variables": sorted(os.environ),
        "files": files,
    }
