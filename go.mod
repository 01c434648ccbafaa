module github.com/pindex-dev/pindex

go 1.26
