"""The verbs of `butlers`, one file each; `butler_cli.main` lists them."""
