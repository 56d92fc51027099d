// The sandbox process of every pod; standard library only.
module butlers.dev/cluster/pause

go 1.26.0
