"""Formats rule files in canonical layout. Proves that the meaning is unchanged before anything is written."""
