"""The public names of this package and the modules that they are in."""

from execpolicy.exchange.exporting import Exported as Exported
from execpolicy.exchange.exporting import export_statements as export_statements
from execpolicy.exchange.tool_entry import ExportedSettings as ExportedSettings
