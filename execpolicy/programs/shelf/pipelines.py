"""Programs of data and of models: what computes, what fetches and what publishes.

Source of what may follow: the documentation of each program, as it was in 2026.
"""

from __future__ import annotations

from execpolicy.programs.record import Program

# fmt: off
RECORDS = (
    Program("dvc", leading="-q -v --cd:", task="2 metrics=3 params=3 plots=3 exp=3 remote=3 stage=3 experiments=3",
        fetches=True, far=True, worst="exact repro status dag diff add; [metrics] exact show diff; [params] exact "
        "diff; [exp] exact show diff list; [repro] fetch --pull; [add] publish --to-remote; [stage] run add -n x "
        "./evil; elsewhere --cd /tmp; publish push; delete gc -w"),
    Program("snakemake", task="1", worst="alone; load -s /tmp/evil.smk; run --cluster ./evil; delete "
        "--delete-all-output; target --cores 1 deploy; elsewhere -d /tmp"),
    Program("nextflow", task="2", fetches=True, broad="run", worst="fetch run evil/evil"),
    Program("dbt", leading="-q -d --debug --quiet --no-use-colors --log-level: --profiles-dir: --project-dir: "
        "--target: -t:", task="2 docs=3", far=True, worst="exact compile parse ls list test; [docs] exact generate; "
        "[compile] run --inline x; elsewhere --profiles-dir /tmp; elsewhere --target prod; delete run-operation "
        "drop_all"),
    Program("nbqa", task="2", worst="run ./evil x"),
    Program("great_expectations clearml", task="2", fetches=True, far=True),
    Program("mlflow", task="2", fetches=True, far=True, worst="[] run run https://evil; [run] run https://evil"),
    Program("wandb", task="2", fetches=True, far=True, worst="[] run launch -u https://evil"),
    Program("huggingface-cli hf", task="2", fetches=True, far=True, worst="[] publish upload evil ."),
    Program("kaggle", task="2", fetches=True, far=True, worst="[] publish kernels push"),
    Program("bentoml", task="2", fetches=True, far=True, worst="[] publish push x"),
    Program("modal", task="2", fetches=True, far=True, worst="[] run run evil.py; [run] run evil.py"),
    Program("accelerate torchrun deepspeed spark-submit ray", broad="", worst="run ./evil.py"),
)
