"""Configuration of a process: `butler.toml` and the environment, read once, refused readably (MSG-11)."""

from butler_kit.config.environment import (
    EnvironmentModel,
    MemberEnvironment,
    ProcessEnvironment,
    read_environment,
)
from butler_kit.config.errors import ConfigError, ConfigProblem
from butler_kit.config.loader import load_config, parse_config
from butler_kit.config.models import (
    CONFIG_VERSION,
    BufferConfig,
    ButlerConfig,
    ButlerSection,
    DeliveryConfig,
    RoutingConfig,
    RoutingRule,
    RuntimeConfig,
    ScheduleConfig,
    Section,
    SecurityConfig,
    TimeZone,
)
from butler_kit.config.modules import (
    ApprovalsConfig,
    EmailBotConfig,
    EmailModule,
    MailServer,
    ModulesConfig,
    SentMailbox,
    TelegramBotConfig,
    TelegramModule,
    UserScope,
)

__all__ = [
    "CONFIG_VERSION",
    "ApprovalsConfig",
    "BufferConfig",
    "ButlerConfig",
    "ButlerSection",
    "ConfigError",
    "ConfigProblem",
    "DeliveryConfig",
    "EmailBotConfig",
    "EmailModule",
    "EnvironmentModel",
    "MailServer",
    "MemberEnvironment",
    "ModulesConfig",
    "ProcessEnvironment",
    "RoutingConfig",
    "RoutingRule",
    "RuntimeConfig",
    "ScheduleConfig",
    "Section",
    "SecurityConfig",
    "SentMailbox",
    "TelegramBotConfig",
    "TelegramModule",
    "TimeZone",
    "UserScope",
    "load_config",
    "parse_config",
    "read_environment",
]
