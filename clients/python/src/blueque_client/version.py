"""Made by generate.py."""

VERSION = "0.1.0"
