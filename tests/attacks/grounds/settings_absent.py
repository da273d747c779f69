"""Ways to start a program in a folder that tells it what to do."""

from __future__ import annotations

from tests.attacks.grounds.folder_known import FolderKnown


class SettingsAbsent(FolderKnown):
    """Attacks ``settings-absent``.

    ``O`` obeys a file ``.obeyed`` of the folder that it starts in, or of one above, and runs what that says; there is
    none in the caller's folder, and one in ``sub``. The claim breaks where ``O`` starts elsewhere: behind everything
    that moves this shell or another, in a wrapper with a folder of its own, below a link. It would also break if the
    file came between the look and the start, which a script that writes no file cannot do.
    """

    ground = "settings-absent"

    def covered(self) -> str:
        """A use that the entry accepts in the caller's folder."""
        return self.pick(
            "O",
            "O x",
            "O x y",
            "O 2>&1 | cat",
            'echo "$(O)"',
            "O > out/x",
            "FOO=1 O",
            "for i in 1 2; do O $i; done",
            "ls && O || O x",
            "O; O x",
            "cat a.txt | O",
            "if O; then O x; fi",
        )

    def use(self) -> str:
        return self.pick(
            "O",
            "O x",
            "x=O; $x",
            "O > out/x",
            "O $PWD",
            "O | cat",
            "cat <(O)",
            "O < a.txt",
            "PWD=/ O",
            "OLDPWD=sub; cd -; O",
            "find sub -name c.txt -execdir O {} ';'",
            "find sub -name c.txt -exec O {} ';'",
            "find . -type d -execdir O ';'",
            "echo sub | xargs -I_ env -C _ O",
            "env -C sub O",
            "env -C sub/.. O",
            "( cd sub && O )",
            "(cd sub; (cd ..; O))",
            "g() { O; }; cd sub; g",
        )
