"""pip, go, terraform, psql and Yarn 1: what their command lines mean, as :mod:`tests.support.real_programs` asks it."""

from __future__ import annotations

import json
import os
import shutil
import socketserver
import struct
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, ClassVar

from tests.support.command_shapes import Shape
from tests.support.real_tool import Tool

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_shapes import Words


PIP = """
import contextlib, json, sys
from pip._internal.cli.main_parser import parse_command
from pip._internal.commands import create_command
from pip._internal.exceptions import PipError
for line in sys.stdin:
    said = None
    try:
        with contextlib.redirect_stdout(sys.stderr):
            name, rest = parse_command(json.loads(line))
            options, left = create_command(name).parse_args(rest)
        said = {"command": name, "left": left, **vars(options)}
    except (SystemExit, PipError):
        pass
    print(json.dumps(said, default=str), flush=True)
"""
"""Answers what pip's own parser makes of the words behind ``pip``, one JSON list a line."""


class Pip(Tool):
    """pip's own parser."""

    name = "pip"
    shapes: ClassVar = {
        "install": Shape(
            [
                "install",
                "install",
                "-q install",
                "--isolated install",
                "--proxy u install",
                "--proxy=u install",
                "--log l install",
            ],
            "-r f|-rf|--requirement f|--requirement=f|-t d|-td|--target d|--target=d|-e .|-e.|--editable .|--editable=."
            "|-i u|-iu|--index-url u|--index-url=u|--pypi-url u|--extra-index-url u|--extra-index-url=u|--user|-U"
            "|--upgrade|--pre|--no-deps|--no-dependencies|--break-system-packages|--trusted-host h|--no-index|-c f"
            "|--constraint=f|-i -r|--log -U|--retries 3|--prefix --user|--force-reinstall|-I|--report r|--src d|-f u"
            "|--no-user|--no-binary :all:|--platform --pre|--exists-action i|-C k=v|--root=/r|--timeout=5",
            "UIqv",
            ["p", "p", "p q", "-- p", "."],
        ),
        "uninstall": Shape(
            ["uninstall", "-v uninstall"],
            "-y|--yes|-r f|--requirement=f|--root-user-action ignore|--log -y|--proxy=-y|--break-system-packages",
            "yqv",
            ["p", "p q", "-- p"],
        ),
    }
    often: ClassVar = ["install", "install"]
    meanings: ClassVar = {
        "install -r": lambda said: said["requirements"],
        "install -t": lambda said: said["target_dir"],
        "install -e": lambda said: said["editables"],
        "install -i": lambda said: said["index_url"] in ("u", "-r"),
        "install --extra-index-url": lambda said: said["extra_index_urls"],
        "install --user": lambda said: said["use_user_site"],
        "install -U": lambda said: said["upgrade"],
        "install --pre": lambda said: said["pre"],
        "install --no-deps": lambda said: said["ignore_dependencies"],
        "install --break-system-packages": lambda said: said["override_externally_managed"],
        "install --trusted-host": lambda said: said["trusted_hosts"],
        "install --no-index": lambda said: said["no_index"],
        "install -c": lambda said: said["constraints"],
        "uninstall -y": lambda said: said["yes"],
        "uninstall -r": lambda said: said["requirements"],
    }
    patterns: ClassVar = list(meanings)

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        environment = self.environment | {"PIP_CONFIG_FILE": os.devnull, "_PIP_RUNNING_IN_SUBPROCESS": "1"}
        self.parser = subprocess.Popen(
            [sys.executable, "-c", PIP],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def meant(self, words: Words) -> Words:
        assert self.parser.stdin is not None
        assert self.parser.stdout is not None
        print(json.dumps(words), file=self.parser.stdin, flush=True)
        said: dict[str, Any] | None = json.loads(self.parser.stdout.readline())
        self.refused = said is None
        if said is None:
            return []
        return [each for each, test in self.meanings.items() if each.split()[0] == said["command"] and test(said)]


class Go(Tool):
    """go over a module with one package and one test."""

    name = "go"
    patterns: ClassVar = [
        "build -o",
        "build -toolexec",
        "run -exec",
        "test -exec",
        "test -c",
        "test -o",
        "env -w",
        "clean -testcache",
    ]
    shapes: ClassVar = {
        "build": Shape(
            ["build"],
            "-o out|-o=out|--o out|--o=out|-o out|-toolexec ./t.sh|-toolexec=./t.sh|--toolexec ./t.sh|--toolexec=./t.sh"
            "|-v|-n|-x|-a=false|-tags t|-tags=-o|-ldflags -s|-ldflags=-s|-mod=mod|-mod mod|-trimpath|-p 1|-p=1"
            "|-race=false|-buildvcs=false|-work=false|-o /dev/null",
            "",
            ["", ".", ".", "./..."],
        ),
        "run": Shape(
            ["run"],
            "-exec ./e.sh|-exec=./e.sh|--exec ./e.sh|--exec=./e.sh|-exec ./e.sh|-v|-n|-tags t|-tags -exec|-mod=mod|-p 1"
            "|-toolexec ./t.sh|-trimpath",
            "",
            [".", ".", "main.go", ". -exec ./e.sh"],
        ),
        "test": Shape(
            ["test"],
            "-exec ./e.sh|-exec=./e.sh|--exec ./e.sh|-exec ./e.sh|-c|--c|-c=true|-o out|-o=out|-run X|-run=X|-v"
            "|-count=1|-count 1|-short|-timeout 9s|-cover|-args -exec ./e.sh|-run -c|-tags t|-json|-test.run=X|-n"
            "|-vet=off|-c=false",
            "",
            ["", ".", ".", "./...", ". -args -c"],
        ),
        "env": Shape(["env"], "-w|-w=true|--w|-json|-u|-w=false", "", ["X=1", "GOFLAGS=-v", "GOFLAGS", ""]),
        "clean": Shape(
            ["clean"], "-testcache|--testcache|-testcache=true|-n|-x|-testcache=false|-i|-r", "", ["", "", "."]
        ),
    }
    often: ClassVar = ["build", "build", "run", "test", "test"]

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        (folder / "go.mod").write_text("module m\n\ngo 1.19\n")
        (folder / "main.go").write_text("package main\n\nfunc main() {}\n")
        (folder / "main_test.go").write_text('package main\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n')
        for name, noted in (("t.sh", "tool-ran"), ("e.sh", "exec-ran")):
            (folder / name).write_text(f'#!/bin/sh\necho x >>{folder}/{noted}\nexec "$@"\n')
            (folder / name).chmod(0o755)
        self.environment |= {"GOENV": str(folder / "goenv"), "GOCACHE": str(folder / "cache"), "GOPROXY": "off"}
        self.run(["build", "-o", os.devnull])

    def meant(self, words: Words) -> Words:
        made = ["out", "tool-ran", "exec-ran", "goenv", "m.test", "m", "cache/testexpire.txt"]
        for name in made:
            (self.folder / name).unlink(missing_ok=True)
        self.run(words)
        found = {name for name in made if (self.folder / name).exists()}
        command = words[0]
        if command in ("env", "clean"):
            return ["env -w"] * ("goenv" in found) + ["clean -testcache"] * ("cache/testexpire.txt" in found)
        said = {"-o": "out", "-toolexec": "tool-ran", "-exec": "exec-ran"}
        meant = [f"{command} {option}" for option, name in said.items() if name in found]
        if command == "test" and "tool-ran" not in found and (found & {"m.test", "out"}) and "exec-ran" not in found:
            meant += ["test -c"] * (words.count("-o") + words.count("-o=out") == 0 or "m.test" in found)
        return [each for each in meant if each in self.patterns]


class Terraform(Tool):
    """terraform over two resources of its own that hold a text each."""

    name = "terraform"
    patterns: ClassVar = [
        "apply -auto-approve",
        "apply -destroy",
        "destroy",
        "apply -target",
        "apply -var",
        "plan -out",
    ]
    patterns += ["workspace delete -force", "state rm", "state mv", "taint"]
    heads: ClassVar = ["", "", "-chdir=. "]
    applied = (
        "-auto-approve|-auto-approve|-auto-approve|-auto-approve|--auto-approve|--auto-approve|-auto-approve=true|--auto-approve=true|-auto-approve=false"
        "|-target=terraform_data.a|-target terraform_data.a|--target=terraform_data.a|-var v=z|-var=v=z|--var v=z"
        "|-input=false|-lock=false|-no-color|-refresh=false|-parallelism=2|-parallelism 2|-compact-warnings|-backup=-"
        "|-var w=-destroy|-var -destroy|-lock-timeout 1s|-state=terraform.tfstate"
    )
    shapes: ClassVar = {
        "apply": Shape(
            [f"{head}apply" for head in heads],
            applied + "|-destroy|--destroy|-destroy=true|-destroy=false|-replace=terraform_data.b|-json",
            "",
            ["", "", "", "none"],
        ),
        "destroy": Shape([f"{head}destroy" for head in heads], applied, "", ["", "", "none"]),
        "plan": Shape(
            ["plan"],
            "-out=out|-out out|--out out|--out=out|-destroy|-no-color|-var v=-out|-var v=z|-input=false"
            "|-detailed-exitcode|-refresh=false|-lock=false|-target=terraform_data.a|-generate-config-out=g",
            "",
            ["", "", "out"],
        ),
        "workspace": Shape(
            ["workspace delete", "-chdir=. workspace delete"],
            "-force|--force|-force=true|-force=false|-lock=false|-lock-timeout=1s|-lock-timeout 1s",
            "",
            ["w", "w", "default"],
        ),
        "state": Shape(
            ["state rm", "state rm", "state mv", "-chdir=. state rm"],
            "-dry-run|-lock=false|-backup=b|-backup b|-state=terraform.tfstate|-lock-timeout=1s|--lock=false",
            "",
            ["terraform_data.a", "terraform_data.a terraform_data.c"],
        ),
        "taint": Shape(
            ["taint", "untaint"], "-lock=false|-allow-missing|-state=terraform.tfstate", "", ["terraform_data.a"]
        ),
    }
    often: ClassVar = ["apply", "apply", "apply", "destroy"]

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        (folder / "rc").write_text("")
        self.environment |= {"TF_CLI_CONFIG_FILE": str(folder / "rc"), "CHECKPOINT_DISABLE": "1"}
        texts = {"a": "var.v", "b": '"old"'}
        self._configure(texts, "old")
        self.run(["apply", "-auto-approve"])
        self.kept = (folder / "terraform.tfstate").read_text()
        self._configure(texts | {"b": '"new"'}, "new")

    def _configure(self, texts: dict[str, str], default: str) -> None:
        blocks = [f'resource "terraform_data" "{name}" {{ input = {text} }}' for name, text in texts.items()]
        blocks += [f'variable "v" {{ default = "{default}" }}', 'variable "w" { default = "w" }']
        (self.folder / "main.tf").write_text("\n".join(blocks) + "\n")

    def meant(self, words: Words) -> Words:
        workspace, state = self.folder / "terraform.tfstate.d/w", self.folder / "terraform.tfstate"
        workspace.mkdir(parents=True, exist_ok=True)
        for path in (workspace / "terraform.tfstate", state):
            path.write_text(self.kept)
        (self.folder / "out").unlink(missing_ok=True)
        self.run(words)
        resources = json.loads(state.read_text())["resources"] if state.exists() else []
        held = {each["name"]: each["instances"][0] for each in resources if each["instances"]}
        texts = {name: one["attributes"]["input"]["value"] for name, one in held.items()}
        command = next(word for word in words if word in self.shapes or word == "untaint")
        if command == "state":
            moved = "b" in held and "a" not in held
            return ["state mv"] * (moved and "c" in held) + ["state rm"] * (moved and "c" not in held)
        if command in ("apply", "destroy"):
            gone = {"a", "b"} - set(texts)
            changed = {name for name, text in texts.items() if text != "old"} | gone
            return (
                ["apply -auto-approve"] * bool(changed)
                + ["apply -destroy"] * bool(gone)
                + ["destroy"] * bool(gone)
                + ["apply -target"] * (changed == {"a"})
                + ["apply -var"] * (texts.get("a") == "z")
            )
        return (
            ["plan -out"] * (self.folder / "out").exists()
            + ["workspace delete -force"] * (not workspace.exists())
            + ["taint"] * any(one.get("status") == "tainted" for one in held.values())
        )


class Psql(Tool):
    """psql against a server that notes who asks what."""

    name = "psql"
    patterns: ClassVar = ["-c", "-f", "-d other", "-U me", "-o", "-l", "-1", "-L"]
    shapes: ClassVar = {
        "": Shape(
            [""],
            "-c one|-cone|--command one|--command=one|-f f|-ff|--file f|--file=f|-d other|-dother|--dbname=other"
            "|--dbname other|-U me|-Ume|--username=me|--username me|-o out|-oout|--output out|--output=out|-l|--list|-1"
            "|--single-transaction|-L log|-Llog|--log-file=log|-h 127.0.0.1|-h127.0.0.1|--host=127.0.0.1|-p PORT"
            "|--port=PORT|-v a=b|-va=b|--set=a=b|--variable a=-c|-F -l|-P pager=off|-R -1|-T -f|--csv|-Atc one|-Xqf f"
            "|-w|--no-password|--no-psqlrc|--tuples-only|--field-separator=-l|--pset=format=csv|-aA|--html",
            "AtqXxnaebEHSz0l1",
            ["db", "db", "", "db you", "-- db"],
        )
    }

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        noted = self.noted = list[str]()
        (folder / "f").write_text("two;\n")

        class Noting(socketserver.StreamRequestHandler):
            """Enough of PostgreSQL's protocol: everybody may enter, and every question has one row for an answer."""

            def handle(self) -> None:
                while True:
                    size, kind = struct.unpack("!ii", self.rfile.read(8))
                    if kind in (80877103, 80877104):  # may we talk in secret?
                        self.wfile.write(b"N")
                        continue
                    said = self.rfile.read(size - 8).decode().split("\0")
                    break
                noted.extend(f"{name}={value}" for name, value in zip(said[::2], said[1::2], strict=False) if name)
                ready = b"Z" + struct.pack("!ic", 5, b"I")
                self.wfile.write(b"R" + struct.pack("!ii", 8, 0))
                for setting in (
                    b"server_version\x0015.0\0",
                    b"client_encoding\0UTF8\0",
                    b"standard_conforming_strings\0on\0",
                ):
                    self.wfile.write(b"S" + struct.pack("!i", 4 + len(setting)) + setting)
                self.wfile.write(ready)
                while (kind_of := self.rfile.read(1)) == b"Q":
                    (size,) = struct.unpack("!i", self.rfile.read(4))
                    noted.append(self.rfile.read(size - 4).decode().rstrip("\0"))
                    done = b"SELECT 0\0"
                    self.wfile.write(b"C" + struct.pack("!i", 4 + len(done)) + done + ready)
                assert kind_of in (b"X", b""), kind_of

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Noting)
        self.port = str(self.server.server_address[1])
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.environment |= {"PGHOST": "127.0.0.1", "PGPORT": self.port, "PGUSER": "you", "PGSSLMODE": "disable"}

    def meant(self, words: Words) -> Words:
        for name in ("out", "log"):
            (self.folder / name).unlink(missing_ok=True)
        self.noted.clear()
        self.run([word.replace("PORT", self.port) for word in words])
        return (
            ["-c"] * ("one" in self.noted)
            + ["-f"] * any(text.startswith("two") for text in self.noted)
            + ["-d other"] * ("database=other" in self.noted)
            + ["-U me"] * ("user=me" in self.noted)
            + ["-o"] * (self.folder / "out").exists()
            + ["-l"] * any("pg_database" in text for text in self.noted)
            + ["-1"] * ("BEGIN" in self.noted)
            + ["-L"] * (self.folder / "log").exists()
        )


class Yarn(Tool):
    """Yarn 1 over a package that needs another one, which lies beside it."""

    name = "yarnpkg"
    patterns: ClassVar = ["add -D", "add -P", "add -O", "add --ignore-scripts", "global add", "remove", "--cwd there"]
    heads: ClassVar = [
        "",
        "",
        "",
        "--silent ",
        "-s ",
        "--registry u ",
        "--mutex file ",
        "--cache-folder=c ",
        "--no-progress ",
        "--json ",
    ]
    shapes: ClassVar = {
        "add": Shape(
            [f"{head}add" for head in heads],
            "-D|--dev|-P|--peer|-O|--optional|-E|--exact|-T|--tilde|--ignore-scripts|--cwd there|--cwd=there"
            "|--non-interactive|--no-lockfile|--registry -D|--cache-folder -P|--verbose|-W"
            "|--ignore-workspace-root-check|--network-timeout 9|--emoji false|--emoji=-D|--audit=false|-s",
            "DPOEsW",
            ["file:./p", "file:./p", "-- file:./p"],
        ),
        "remove": Shape(
            [f"{head}remove" for head in heads],
            "--silent|--cwd there|--cwd=there|-W|--ignore-scripts|--no-lockfile|--registry u|--verbose",
            "sW",
            ["p", "p", "-- p", "none"],
        ),
        "global": Shape(
            [f"{head}global add" for head in heads]
            + ["global --silent add", "global --prefix g add", "global --prefix=g add"],
            "-D|--silent|--ignore-scripts|--prefix g|--exact|--no-progress|--registry u",
            "sE",
            ["file:PLACE/p", "file:PLACE/p"],
        ),
    }
    often: ClassVar = ["add", "add"]

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        for name in ("p", "there/p"):
            (folder / name).mkdir(parents=True)
            text = {"name": "p", "version": "1.0.0", "license": "X", "scripts": {"postinstall": "touch scripted"}}
            (folder / name / "package.json").write_text(json.dumps(text))
        self.environment |= {"YARN_OFFLINE": "true", "YARN_GLOBAL_FOLDER": str(folder / "global")}
        self._configure(folder, {"dependencies": {"p": "file:./p"}})
        self.run(["install"])
        self.lock = (folder / "yarn.lock").read_text()

    @staticmethod
    def _configure(place: Path, needs: dict[str, dict[str, str]]) -> None:
        (place / "package.json").write_text(json.dumps({"name": "y", "license": "X", "private": True} | needs))

    def meant(self, words: Words) -> Words:
        command = next(word for word in words if word in self.shapes)
        shutil.rmtree(self.folder / "global", ignore_errors=True)
        for place in (self.folder, self.folder / "there"):
            shutil.rmtree(place / "node_modules", ignore_errors=True)
            (place / "yarn.lock").write_text(self.lock if command == "remove" else "")
            self._configure(place, {"dependencies": {"p": "file:./p"}} if command == "remove" else {})
        self.run([word.replace("PLACE", str(self.folder)) for word in words])
        found: Words = []
        for place in (self.folder, self.folder / "there"):
            said = json.loads((place / "package.json").read_text())
            kinds = {"devDependencies": "add -D", "peerDependencies": "add -P", "optionalDependencies": "add -O"}
            here = [pattern for kind, pattern in kinds.items() if said.get(kind)]
            installed = place / "node_modules/p"
            if command == "add" and installed.exists() and not (installed / "scripted").exists():
                here.append("add --ignore-scripts")
            if command == "remove" and not said.get("dependencies"):
                here.append("remove")
            if place != self.folder and (here or (command == "add" and said.get("dependencies"))):
                here.append("--cwd there")
            found += here
        return found + ["global add"] * (self.folder / "global/node_modules/p").exists()


TOOLS = (Pip, Go, Terraform, Psql, Yarn)
