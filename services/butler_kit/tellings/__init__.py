"""The sort of a clause: money spent or received, a value that was measured or only aimed at, a plan …"""
