"""Configuration of a process: `butler.toml` and the environment, read once, with readable errors (MSG-11)."""

from butler_kit.config.budget import BudgetConfig, PriceConfig, SessionBudgetConfig
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
    HistoryConfig,
    RoutingConfig,
    RoutingRule,
    RuntimeConfig,
    ScheduleConfig,
    SecurityConfig,
    TimeZone,
)
from butler_kit.config.modules import (
    ApprovalsConfig,
    AttachmentsConfig,
    CalendarConfig,
    EmailBotConfig,
    EmailModule,
    MailServer,
    ModulesConfig,
    SentMailbox,
    TelegramBotConfig,
    TelegramModule,
    UserScope,
)
from butler_kit.config.section import Section
from butler_kit.config.tools import MOST_SERVERS, ToolServerConfig

__all__ = [
    "CONFIG_VERSION",
    "MOST_SERVERS",
    "ApprovalsConfig",
    "AttachmentsConfig",
    "BudgetConfig",
    "BufferConfig",
    "ButlerConfig",
    "ButlerSection",
    "CalendarConfig",
    "ConfigError",
    "ConfigProblem",
    "DeliveryConfig",
    "EmailBotConfig",
    "EmailModule",
    "EnvironmentModel",
    "HistoryConfig",
    "MailServer",
    "MemberEnvironment",
    "ModulesConfig",
    "PriceConfig",
    "ProcessEnvironment",
    "RoutingConfig",
    "RoutingRule",
    "RuntimeConfig",
    "ScheduleConfig",
    "Section",
    "SecurityConfig",
    "SentMailbox",
    "SessionBudgetConfig",
    "TelegramBotConfig",
    "TelegramModule",
    "TimeZone",
    "ToolServerConfig",
    "UserScope",
    "load_config",
    "parse_config",
    "read_environment",
]
