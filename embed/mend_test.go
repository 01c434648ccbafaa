package embed

import (
	"encoding/binary"
	"hash/crc32"
)

// mend rewrites the checksum of a model blob, which a fuzzer cannot guess.
func mend(b []byte) []byte {
	n := len(b) - 4
	if len(b) >= staticHeader && b[9] == kindStatic {
		n = len(b) - 4 - int(binary.LittleEndian.Uint16(b[10:]))*int(binary.LittleEndian.Uint16(b[12:]))
	}
	if n >= 0 && n+4 <= len(b) {
		binary.LittleEndian.PutUint32(b[n:], crc32.Checksum(b[:n], crc32.MakeTable(crc32.Castagnoli)))
	}
	return b
}
