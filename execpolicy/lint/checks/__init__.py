"""The checks: functions named after their codes. Their pages are in ``execpolicy/lint/pages``."""
