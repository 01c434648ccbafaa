package main

func report(work, plots, keep string) error                  { return nil }
func check(work, repo string, n int) error                   { return nil }
func synthesize(out string, files int, repos []string) error { return nil }
