"""Readers of the small languages that programs take as arguments: sed scripts, awk programs, find expressions, …"""
