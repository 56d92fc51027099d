"""Prepares a butler's schema, role and tables before its service starts (D51).

On a cluster every butler's pod runs it as the init container `provision`, from the image of the services:

    python -m butler_provision --config /etc/butlers/butler.toml
        --admin-url-file /etc/butlers/database/uri --url-file /run/butlers/database/url
        [--termination-log /dev/termination-log] [--wait-s 120]

`--config` is the butler's own `butler.toml`: `[butler]` gives role and schema, `[butler.security]` the Switchboards
that it serves. In the pod of the dashboard, which owns nothing, `--dashboard` takes its place: its role reads the
views of the butlers named by `--switchboard` and `--messenger`.
`--uid` is that of the butler's resource; it is recorded beside the schema to identify its owner, so that a later run
can find what is left of a butler that is gone: `--retain NAME=UID` takes the login from its role, `--drop NAME=UID`
drops schema and role; the message then has `"departed": {outcome: [NAME=UID]}`.
`--only-url` is for a job on a butler's tables, such as the statistics on Spark: it makes the URL and changes nothing.
`--admin-url-file` holds the administrator's URL, the key `uri` of its Secret, mounted in this container only.
`--url-file` (0600, memory) gets the service's own URL; the service finds it by `BUTLERS_DATABASE_URL_FILE`. There is
no other argument. Of the environment only `BUTLERS_CA_FILE` is read: the authorities that vouch for the database if
its URL asks for a verified server and names none. The termination message is one line of JSON:
`{"role_isolation": bool, "applied": [label]}`, with `"open_to_all": true` for a database that every role of the
server may enter, or `{"reason": …, "error": …}` when it fails. Exit codes: 0 done, 1 other, 2 configuration, 3
database not reachable within `--wait-s`, 4 refused by the database, 5 migration failed. `butlers up` uses `plans` for
its household.
"""
