"""The local place: everything `butlers up` runs on one machine."""
