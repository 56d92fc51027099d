"""The verbs of `kubectl butler`, one file each; `butler_kubectl.main` lists them."""
