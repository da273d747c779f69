"""Canonical layout of rule files. The meaning never changes, and that is proven before anything is written."""
