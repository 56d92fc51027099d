"""A butler's membership in the household: known to Switchboard, and shown to be alive (SWB-09, SWB-10)."""

from butler_kit.membership.registration import HEARTBEAT_S, IntroductionCard, Registration

__all__ = ["HEARTBEAT_S", "IntroductionCard", "Registration"]
