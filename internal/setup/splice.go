package setup

import "bytes"

// splice is one edit of a text: at an offset, bytes are replaced by others.
type splice struct {
	off      int
	del, ins []byte
}

func (s splice) none() bool { return len(s.del) == 0 && len(s.ins) == 0 }

// apply returns the edited text.
func (s splice) apply(doc []byte) []byte {
	out := make([]byte, 0, len(doc)+len(s.ins))
	out = append(out, doc[:s.off]...)
	out = append(out, s.ins...)
	return append(out, doc[s.off+len(s.del):]...)
}

// reverse returns the text before the edit, where doc is the text after it.
func (s splice) reverse(doc []byte) ([]byte, bool) {
	if s.off < 0 || s.off+len(s.ins) > len(doc) || !bytes.Equal(doc[s.off:s.off+len(s.ins)], s.ins) {
		return nil, false
	}
	return splice{s.off, s.ins, s.del}.apply(doc), true
}

// reverseElsewhere takes the edit back in a text that was changed since, where
// what was inserted is still there, once.
func (s splice) reverseElsewhere(doc []byte) ([]byte, bool) {
	if len(s.ins) == 0 || bytes.Count(doc, s.ins) != 1 {
		return nil, false
	}
	return splice{bytes.Index(doc, s.ins), s.ins, s.del}.apply(doc), true
}
