"""Measurements: how long things take, what they take, and which share of scripts is judged as it should be.

``python -m benchmarks`` runs the suite, ``python -m benchmarks.profile`` says where the time goes and
``python -m benchmarks.record_budgets`` records the counts that CI compares.
"""
