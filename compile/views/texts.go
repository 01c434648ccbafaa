package views

import (
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf8"
)

// maxRemoteText bounds the text of one document for a remote model, in bytes:
// models read the first few thousand tokens at most.
const maxRemoteText = 8000

// Texts returns what a remote model is to embed of each document, for
// ReadTexts: the unit's name and its text. The file's path is not part of it,
// so that a file which is moved or renamed costs nothing. A change of what
// this returns is one of embed.RemoteTextForm.
func Texts(in *Partition) ([]byte, error) {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(in.Docs)))
	for d := range in.Docs {
		t := in.remoteText(d)
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(t))), t...)
	}
	return b, nil
}

func (in *Partition) remoteText(d int) string {
	text, spans, _ := in.DocText(d)
	b := []byte(in.Fields[d].Symbol)
	for _, s := range spans {
		if len(b) > 0 && b[len(b)-1] != '\n' {
			b = append(b, '\n')
		}
		b = append(b, text[s.Start:s.End]...)
		if len(b) > maxRemoteText {
			n := maxRemoteText
			for n > maxRemoteText-utf8.UTFMax && !utf8.RuneStart(b[n]) {
				n--
			}
			b = b[:n]
			break
		}
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(b), "\uFFFD"))
}

// ReadTexts reads what Texts returned; every length is checked.
func ReadTexts(b []byte) ([]string, error) {
	bad := errors.New("the texts for a remote model are damaged")
	le := binary.LittleEndian
	if len(b) < 4 {
		return nil, bad
	}
	n := int(le.Uint32(b))
	b = b[4:]
	if n > len(b)/4 {
		return nil, bad
	}
	out := make([]string, n)
	for i := range out {
		if len(b) < 4 || int64(le.Uint32(b)) > int64(len(b)-4) {
			return nil, bad
		}
		size := int(le.Uint32(b))
		out[i], b = string(b[4:4+size]), b[4+size:]
	}
	if len(b) != 0 {
		return nil, bad
	}
	return out, nil
}
