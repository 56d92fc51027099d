"""The paths of Switchboard's ops API, a file for each subject."""
