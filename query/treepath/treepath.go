// Package treepath takes the paths of a commit's tree apart. They are relative,
// their components are separated by "/" on every system, and the root is "".
package treepath

import "strings"

// Base returns the last component of a path.
func Base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// Dir returns the path without its last component; "" at the root.
func Dir(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return ""
}

// Stem returns the last component without its extensions: "app" for
// "src/app.test.ts". A leading dot belongs to the stem.
func Stem(path string) string {
	b := Base(path)
	if i := strings.IndexByte(b[min(1, len(b)):], '.'); i >= 0 {
		return b[:i+1]
	}
	return b
}

// Join joins a folder and a relative path and resolves "." and "..". A
// path that leaves the tree gives false.
func Join(dir, rel string) (string, bool) {
	var out []string
	if dir != "" {
		out = strings.Split(dir, "/")
	}
	for _, c := range strings.Split(rel, "/") {
		switch c {
		case "", ".":
		case "..":
			if len(out) == 0 {
				return "", false
			}
			out = out[:len(out)-1]
		default:
			out = append(out, c)
		}
	}
	return strings.Join(out, "/"), true
}

// Under returns a path that is relative to a folder from the root.
func Under(dir, path string) string {
	if dir == "" {
		return path
	}
	return dir + "/" + path
}

// Shared counts the leading folders that two paths share.
func Shared(a, b string) int {
	n := 0
	for {
		x, ra, ok1 := strings.Cut(a, "/")
		y, rb, ok2 := strings.Cut(b, "/")
		if !ok1 || !ok2 || x != y {
			return n
		}
		a, b, n = ra, rb, n+1
	}
}
