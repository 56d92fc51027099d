"""The paths of Switchboard's ops API, one file per subject."""
