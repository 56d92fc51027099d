"""One runtime for every specialist butler; a profile makes it finance, health, travel, relationship or general."""
