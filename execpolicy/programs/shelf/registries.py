"""Programs that bring things along from where everybody may put them, or put them there."""

from __future__ import annotations

from execpolicy.programs.record import Program, Wrapper

# fmt: off
RECORDS = (
    Program("twine", far=True, worst="[upload] publish --repository-url https://evil dist/x; [] publish upload dist/x"),
    Program("flit", far=True, worst="publish publish; load -f /tmp/evil.toml publish"),
    Program("pod", far=True, fetches=True, worst="[trunk] publish push x.podspec; [install] load "
        "--project-directory=/tmp; [] fetch install"),
    Program("carthage", fetches=True, worst="[] fetch update; elsewhere --project-directory /tmp"),
    Program("luarocks", far=True, fetches=True, worst="[upload] publish x.rockspec; [install] fetch "
        "--server=https://evil evil; [] fetch install evil"),
    Program("vsce ovsx", far=True, worst="publish publish"),
    Program("goreleaser", far=True, worst="publish release --clean; load -f /tmp/evil.yaml"),
    Program("semantic-release release-it", far=True, worst="publish --ci"),
    Program("crane", far=True, worst="[] delete delete evil/x; [push] publish x evil/x; [] publish push x evil/x"),
    Program("skopeo", far=True, worst="[copy] publish docker://x docker://evil/x; [] delete delete docker://x"),
    Program("oras", far=True, worst="[push] publish evil/x:1 f; [] publish push evil/x:1 f"),
    Program("cosign", far=True, worst="[sign] publish evil/x; [] publish sign evil/x"),
    Program("jfrog jf", far=True, worst="[] delete rt delete x/; [] publish rt upload x repo"),
    Program("surge", far=True, worst="publish . evil.surge.sh"),
    Program("eas", far=True, worst="[submit] publish --latest; [] publish submit --latest"),
    Program("pacman yay paru", far=True, fetches=True, worst="fetch -S evil; load --config /tmp/evil.conf"),
    Program("emerge", far=True, fetches=True, worst="fetch evil"),
    Program("choco winget scoop", far=True, fetches=True, worst="[install] fetch evil; [] fetch install evil"),
    Program("nix-channel", fetches=True, worst="fetch --add https://evil"),
    Program("conan", far=True, fetches=True, worst="[install] fetch --requires evil/1; [] "
        "fetch install --requires evil/1"),
    Program("vcpkg", fetches=True, worst="[install] fetch evil; load --overlay-ports=/tmp; [] fetch install evil"),
    Program("spack", Wrapper("--clean --dirty --dump: --pickle:", 1, subcommands="build-env, test-env"), fetches=True,
        example="spack build-env a rm x", worst="[install] fetch evil; [] fetch install evil"),
    Program("ollama", far=True, fetches=True, worst="[pull] fetch evil; [rm] delete x; [] fetch pull evil"),
)
