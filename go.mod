module github.com/nbterm/nbterm

go 1.26.7
