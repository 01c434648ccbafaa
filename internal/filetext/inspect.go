package filetext

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

const (
	binaryWindow = 8 << 10
	// One control byte in this many is more than any text has, and less than
	// random bytes have (27 of 256).
	controlShare = 16

	lfsHeader  = "version https://git-lfs.github.com/spec/v1\n"
	lfsMaxSize = 1 << 10
)

// Inspect returns why a blob's content belongs in no view: SkipBinary for a
// NUL byte (unless the text is UTF-16 with a byte order mark) or too many
// control characters in the first 8 KiB, SkipLFS for a Git LFS pointer,
// SkipNone otherwise.
func Inspect(raw []byte) artifact.Skip {
	if isLFSPointer(raw) {
		return artifact.SkipLFS
	}
	head := raw[:min(len(raw), binaryWindow)]
	if isUTF16(head) {
		head, _ = decodeUTF16(head[2:len(head)&^1], head[0] == 0xfe)
	}
	control := 0
	for _, c := range head {
		switch {
		case c == 0:
			return artifact.SkipBinary
		case c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == '\b' || c == 0x1b:
		case c < 0x20 || c == 0x7f:
			control++
		}
	}
	if control*controlShare > len(head) {
		return artifact.SkipBinary
	}
	return artifact.SkipNone
}

// isLFSPointer checks for what git-lfs itself writes: the version line, then
// an oid and a size line, below 1 KiB in all.
func isLFSPointer(raw []byte) bool {
	if len(raw) >= lfsMaxSize || !bytes.HasPrefix(raw, []byte(lfsHeader)) {
		return false
	}
	return bytes.Contains(raw, []byte("\noid ")) && bytes.Contains(raw, []byte("\nsize "))
}

const (
	longLine    = 1000
	fewLines    = 50
	minMinified = 4 << 10
)

// Minified reports whether text is machine-packed code whose lines nobody
// reads: nearly all of its bytes stand in lines above 1,000 bytes, and there
// are hardly any others. Such a file is not worth a parse.
func Minified(text []byte) bool {
	if len(text) < minMinified {
		return false
	}
	long, short, longBytes := 0, 0, 0
	for rest := text; len(rest) > 0; {
		n := bytes.IndexByte(rest, '\n') + 1
		if n == 0 {
			n = len(rest)
		}
		switch {
		case n > longLine:
			long++
			longBytes += n
		case len(bytes.TrimSpace(rest[:n])) > 0:
			short++
		}
		rest = rest[n:]
	}
	return longBytes*10 >= len(text)*9 && (short <= fewLines || short <= 4*long)
}
