package selfeval

import "testing"

func TestQuestion(t *testing.T) {
	for raw, want := range map[string]string{
		"tree x\n\nFix crash when the header is empty\n\nIt was read before.\nSigned-off-by: A <a@b>\n": "Fix crash when the header is empty\n\nIt was read before.",
		"tree x\n\nfix typo in the header of the thing\n":                                               "",
		"tree x\n\nAdd a header that everybody wants\n":                                                 "",
		"tree x\n\nfix it\n": "",
		"no body":            "",
		"tree x\n\nFix \xff\xfe in what is no text at all": "",
	} {
		got, ok := Question([]byte(raw))
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q gives %q, %v", raw, got, ok)
		}
	}
}

func TestIsCode(t *testing.T) {
	for p, want := range map[string]bool{
		"src/app.py": true, "latest/contest.go": true, "tests/app.py": false, "app_test.go": false, "a.spec.ts": false,
		"README.md": false, "docs/conf.py": false, "CHANGES.rst": false, "go.sum": false,
	} {
		if isCode(p) != want {
			t.Errorf("%s is code: %v", p, !want)
		}
	}
}

func TestScores(t *testing.T) {
	if r := Recall([]string{"a", "b", "c"}, []string{"c", "d"}, 3); r != 0.5 {
		t.Errorf("recall %v", r)
	}
	if r := Recall([]string{"a"}, []string{"c"}, 10); r != 0 {
		t.Errorf("recall %v", r)
	}
	values := []float64{0, 1, 1, 0, 1, 1, 1, 0, 1, 1}
	e := Mean(values)
	if e.Mean != 700_000 || e.Low >= 700_000 || e.High <= 700_000 || e.Low < 200_000 || e.High > 1_000_000 || e != Mean(values) {
		t.Errorf("%+v", e)
	}
	if e := Mean([]float64{1, 1}); e != (Estimate{1e6, 1e6, 1e6}) {
		t.Errorf("%+v", e)
	}
	if e := Mean(nil); e != (Estimate{}) {
		t.Errorf("%+v", e)
	}
}
