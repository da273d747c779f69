"""The public names of this package and the modules that they are in."""

from execpolicy.lint.config import Settings as Settings
from execpolicy.lint.lint_run import lint as lint
from execpolicy.lint.lint_run import load_project as load_project
from execpolicy.lint.project import Project as Project
from execpolicy.lint.project import RuleFile as RuleFile
