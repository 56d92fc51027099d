"""What sort of telling a clause is: money that went or came, a value that was measured or only aimed at, a plan …"""
