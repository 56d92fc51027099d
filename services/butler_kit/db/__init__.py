"""PostgreSQL for every service: pools, named SQL, migrations, a schema and a role per butler."""

from butler_kit.db.faults import is_collision, is_locked_out, is_outage, is_over_limit, lacks_partition
from butler_kit.db.logins import Login
from butler_kit.db.migrate import migrate
from butler_kit.db.migration_files import KIT_MIGRATIONS, MigrationError, MigrationSource, load_migrations
from butler_kit.db.pool import (
    IDLE_S,
    Connection,
    Pool,
    UrlSource,
    acquire,
    answers,
    init_connection,
    open_pool,
    transaction,
)
from butler_kit.db.provision import Grant, ProvisionResult, ReaderPlan, SchemaPlan, find_login, provision
from butler_kit.db.queries import NamedQueries, QueryFileError, quote_identifier
from butler_kit.db.retire import Outcome, Retiree, retire

__all__ = [
    "IDLE_S",
    "KIT_MIGRATIONS",
    "Connection",
    "Grant",
    "Login",
    "MigrationError",
    "MigrationSource",
    "NamedQueries",
    "Outcome",
    "Pool",
    "ProvisionResult",
    "QueryFileError",
    "ReaderPlan",
    "Retiree",
    "SchemaPlan",
    "UrlSource",
    "acquire",
    "answers",
    "find_login",
    "init_connection",
    "is_collision",
    "is_locked_out",
    "is_outage",
    "is_over_limit",
    "lacks_partition",
    "load_migrations",
    "migrate",
    "open_pool",
    "provision",
    "quote_identifier",
    "retire",
    "transaction",
]
