"""The public names of this package and the modules that they are in."""

from execpolicy.formatting.format import format_source as format_source
