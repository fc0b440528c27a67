"""Whether a packet has the form of one: its files, their hashes, the title page, the guarantee."""

from __future__ import annotations

import json
from typing import Any

import jsonschema

from understudy.mechanisms.companions import UNTAGGED
from understudy.mechanisms.plan import TAG
from understudy.report import files
from understudy.report.checking import Checking, check_failure
from understudy.report.cover import Cover
from understudy.report.files import FORMAT
from understudy.report.guarantee_file import json_schema
from understudy.report.versions import Versions


def check_files(packet: Checking) -> str:
    """Check that every file is there and no other."""
    known = set(packet.names.all)
    missing = sorted(known - {files.REPORT_PDF} - packet.bundle.names)
    if missing:
        raise check_failure(f"Missing: {', '.join(missing)}.")
    strange = packet.bundle.strangers + len(packet.bundle.names - known)
    if strange:
        raise check_failure(
            f"There are {strange:,} files or links that belong to no packet, or are too large."
        )
    return f"{len(packet.bundle.names):,} files."


def check_wrapping(packet: Checking) -> str:
    """Nothing is in the zip file but its files."""
    if packet.bundle.wrapping == "other zip file":
        raise check_failure(
            "The zip file is not the one that its files make: something may stand beside them, or "
            "another program packed it. Unpack it, and check the folder."
        )
    return f"A {packet.bundle.wrapping}."


def check_hashes(packet: Checking) -> str:
    """Check that every file has the hash that was noted. Finds “stored”, by name."""
    text = packet.bundle.read(files.SUMS).decode("ascii")
    noted = {line[66:]: line[:64] for line in text.splitlines()}
    present = sorted(packet.bundle.names - {files.SUMS})
    lines = "".join(f"{noted[name]}  {name}\n" for name in sorted(noted))
    if sorted(noted) != present or text != lines:
        raise check_failure("The list of hashes is not of these files.")
    stored = {name: packet.bundle.stored(name) for name in present}
    changed = [name for name, each in stored.items() if each.sha256 != noted[name]]
    if changed:
        raise check_failure(f"Changed since: {', '.join(changed)}.")
    packet.found["stored"] = stored
    return f"{len(present):,} files."


def check_form(packet: Checking) -> str:
    """Return the title page and the versions. Finds “cover”, “form” and “versions”."""
    said = packet.json(files.PACKET)
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise check_failure(f"It is of another form than {FORMAT}, which this version knows.")
    packet.found["cover"] = Cover.read({name: said[name] for name in Cover.model_fields})
    known = {"format", *Cover.model_fields, "demonstration", "formulas_neutralised", "files"}
    present = [name for name in packet.names.all if name in packet.bundle.names]
    if set(said) != known or said["files"] != present:
        raise check_failure(
            "It lists other files than there are, or holds what it has no place for."
        )
    if said["demonstration"] is not packet.names.stained:
        raise check_failure("Its files are named as what it says it is not.")
    packet.found["form"] = said
    packet.found["versions"] = Versions.read(packet.json(files.VERSIONS))
    return f"Form {FORMAT}."


def check_statement_schema(packet: Checking) -> str:
    """Check that the guarantee is as its JSON Schema says. Finds “said”."""
    said = packet.json(files.STATEMENT)
    ours = json_schema(_kind(said), alone=_alone(said))
    error = next(jsonschema.Draft202012Validator(json.loads(ours)).iter_errors(said), None)
    if error is not None:
        raise check_failure(f"Not as the schema says, at {error.json_path}.")
    if packet.bundle.read(files.STATEMENT_SCHEMA) != ours.encode() and packet.same_version:
        raise check_failure("The JSON Schema in the packet is not the one of this version.")
    if ("stain" in said) is not packet.names.stained:
        raise check_failure("Its files are named as what it says it is not.")
    packet.found["said"] = said
    return "Valid."


def _alone(said: Any) -> bool:
    """Return whether a statement is about one synthetic table, whatever stands there."""
    return not isinstance(said, dict) or (said.get("table") is not None and not said.get("outputs"))


def _kind(said: Any) -> str:
    """Return the kind of the plan of a statement, whatever stands there."""
    plan = said.get("plan") if isinstance(said, dict) else None
    return str(plan.get(TAG, UNTAGGED)) if isinstance(plan, dict) else UNTAGGED
