package query

import "testing"

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		path string
		want pathClass
	}{
		{"src/flask/app.py", 0},
		{"src/flask/testing.py", 0},
		{"tests/test_app.py", classTest},
		{"django/test/client.py", classTest},
		{"pkg/server_test.go", classTest},
		{"pkg/latest.go", 0},
		{"Contest.java", 0},
		{"src/FooTest.java", classTest},
		{"Latest.java", 0},
		{"src/a.test.ts", classTest},
		{"src/a.spec.tsx", classTest},
		{"vendor/github.com/x/y.go", classVendored},
		{"api/x.pb.go", classGenerated},
		{"jquery.min.js", classMinified},
		{"README.md", classDocs},
		{"LICENSE", classDocs},
		{"CHANGES.rst", classDocs},
		{"docs/conf.py", classDocs},
		{"types/index.d.ts", classStub},
		{"django/conf/locale/de/LC_MESSAGES/django.po", classData},
		{"go.sum", classData},
		{"examples/tutorial/app.py", classExample},
		{"lib/x_spec.rb", classTest},
		{"contributors.go", 0},
		{"", 0},
		{".", 0},
		{"history.ts", 0},
	} {
		if got := classify(c.path); got != c.want {
			t.Errorf("%s: %v, want %v", c.path, got, c.want)
		}
	}
}
