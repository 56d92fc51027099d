// Builds promtool from the Go module proxy, to check and try the chart's alerts and dashboards.
module butlers.dev/cluster/promtool

go 1.26.0

tool github.com/prometheus/prometheus/cmd/promtool

require github.com/prometheus/prometheus v0.313.4 // indirect
