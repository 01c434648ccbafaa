package main

// repoSpec is a repository of the search set, as its repos.json has it.
type repoSpec struct {
	Name, Language, Repository, Revision string
	Root                                 string `json:"benchmark_root"`
}

// instance is an issue of the localisation set.
type instance struct {
	ID     string   `json:"instance_id"`
	Repo   string   `json:"repo"`
	Mirror string   `json:"mirror"`
	Base   string   `json:"base_commit"`
	Text   string   `json:"problem_statement"`
	Gold   []string `json:"gold_files"`
}
