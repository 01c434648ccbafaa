package embed

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The model blob of a model that a server holds, little-endian. It has no
// table: it says what a server must be asked for, and by what a reader knows
// that it asks the right one.
//
//	0   8  magic "PINDEXMD"
//	8   1  version: 0
//	9   1  kind: 3 = remote
//	10  2  dimensions of a row, a multiple of 32
//	12  2  dimensions that the server gives; the rest of a row is zero
//	14  2  form of the texts: RemoteTextForm
//	16  2 × 8  print of the probe's vector, see Print
//	32  2 + n  name of the model
//	..  2 + n  what stands before a question
//	..  2 + n  what stands before a document
//	..  4  CRC-32C of everything before
const (
	kindRemote   = 3
	remoteHeader = 32

	maxRemoteString = 1024
)

const (
	// MaxRemoteDims bounds the dimensions of a server's vectors.
	MaxRemoteDims = MaxScanDims
	// RemoteTextForm changes whenever what is sent of a document does.
	RemoteTextForm = 1
	// Probe is the text whose vector tells models apart.
	Probe = "func (c *Client) Do(req *Request) (*Response, error) — sends a request and tries again after a timeout."
)

// PrintSize is the number of coordinates in a Print.
const PrintSize = 8

// Print is what is recorded of the probe's vector: its largest coordinates,
// each as twice its number plus one for a negative sign, ascending. Servers
// give the same vector with small differences, by batch and by processor;
// those change a hash of all its bytes, and hardly ever this. Another model
// shares next to nothing with it.
type Print [PrintSize]uint16

// PrintOf returns the print of a vector with at least PrintSize coordinates.
func PrintOf(v []float32) (p Print) {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	abs := func(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(abs(v[b]), abs(v[a])), a-b) })
	for i := range p {
		p[i] = uint16(2 * order[i])
		if v[order[i]] < 0 {
			p[i]++
		}
	}
	slices.Sort(p[:])
	return p
}

// Like reports whether two prints are those of one model: at most two
// coordinates differ.
func (p Print) Like(o Print) bool {
	n := 0
	for _, x := range p {
		if slices.Contains(o[:], x) {
			n++
		}
	}
	return n >= PrintSize-2
}

// Remote stands for a model that a server holds. It makes no vectors itself:
// Embed and its like give the zero vector, and whoever needs others asks the
// server.
type Remote struct {
	ModelName   string // as the server is asked for it
	ServedDims  int    // of the server's vectors
	QueryPrefix string // before a question
	TextPrefix  string // before a document
	Print       Print

	model []byte
}

// NewRemote returns the embedder that a description makes: everything of r
// but what it keeps for itself.
func NewRemote(r Remote) (*Remote, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	r.model = r.encode()
	return &r, nil
}

func (r *Remote) check() error {
	if r.ServedDims < PrintSize || r.ServedDims > MaxRemoteDims {
		return fmt.Errorf("%w: %d dimensions, not %d to %d", ErrModel, r.ServedDims, PrintSize, MaxRemoteDims)
	}
	if r.ModelName == "" || strings.IndexFunc(r.ModelName, func(c rune) bool { return !unicode.IsPrint(c) }) >= 0 {
		return fmt.Errorf("%w: a name that is empty or cannot be printed", ErrModel)
	}
	for _, s := range []string{r.ModelName, r.QueryPrefix, r.TextPrefix} {
		if len(s) > maxRemoteString || !utf8.ValidString(s) {
			return fmt.Errorf("%w: a text of %d bytes", ErrModel, len(s))
		}
	}
	for i, x := range r.Print {
		if int(x) >= 2*r.ServedDims || i > 0 && x>>1 <= r.Print[i-1]>>1 {
			return fmt.Errorf("%w: its print", ErrModel)
		}
	}
	return nil
}

func (r *Remote) encode() []byte {
	le := binary.LittleEndian
	b := append([]byte(modelMagic), modelVersion, kindRemote)
	for _, n := range []int{r.Dims(), r.ServedDims, RemoteTextForm} {
		b = le.AppendUint16(b, uint16(n))
	}
	for _, x := range r.Print {
		b = le.AppendUint16(b, x)
	}
	for _, s := range []string{r.ModelName, r.QueryPrefix, r.TextPrefix} {
		b = append(le.AppendUint16(b, uint16(len(s))), s...)
	}
	return le.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func openRemote(b []byte) (Embedder, error) {
	if len(b) < remoteHeader+3*2+4 || len(b) > remoteHeader+3*(2+maxRemoteString)+4 {
		return nil, fmt.Errorf("%w: %d bytes", ErrModel, len(b))
	}
	le := binary.LittleEndian
	body := b[:len(b)-4]
	if crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) != le.Uint32(b[len(body):]) {
		return nil, fmt.Errorf("%w: its checksum is wrong", ErrModel)
	}
	if form := le.Uint16(b[14:]); form != RemoteTextForm {
		return nil, fmt.Errorf("%w: texts of form %d", ErrModelTooNew, form)
	}
	r := &Remote{ServedDims: int(le.Uint16(b[12:])), model: b}
	for i := range r.Print {
		r.Print[i] = le.Uint16(b[16+2*i:])
	}
	rest := body[remoteHeader:]
	for _, to := range []*string{&r.ModelName, &r.QueryPrefix, &r.TextPrefix} {
		if len(rest) < 2 || int(le.Uint16(rest)) > len(rest)-2 {
			return nil, fmt.Errorf("%w: it ends too early", ErrModel)
		}
		n := int(le.Uint16(rest))
		*to, rest = string(rest[2:2+n]), rest[2+n:]
	}
	if len(rest) != 0 || int(le.Uint16(b[10:])) != r.Dims() {
		return nil, fmt.Errorf("%w: its lengths do not fit", ErrModel)
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	return r, nil
}

// Name returns "remote " and the model's name.
func (r *Remote) Name() string { return "remote " + r.ModelName }

// Dims returns the dimensions of a row: those that the server gives, rounded
// up to a multiple of 32.
func (r *Remote) Dims() int { return (r.ServedDims + 31) &^ 31 }

// Model returns the blob that describes the model.
func (r *Remote) Model() []byte { return r.model }

// Embed gives the zero vector.
func (r *Remote) Embed(_ Document, dst []int8) { clear(dst) }

// EmbedQuery gives the zero vector.
func (r *Remote) EmbedQuery(_ string, dst []int8) { clear(dst) }

// EmbedTerms gives the zero vector.
func (r *Remote) EmbedTerms(_ []WeightedTerm, dst []int8) { clear(dst) }

// Clone returns r, which does not change.
func (r *Remote) Clone() Embedder { return r }

// Quantise fills dst, Dims() long, with a server's vector scaled to Norm. It
// reports whether it could: a number that is none, or infinite, is no vector.
// A vector of zeros stays one. Numbers above 127 after scaling become 127.
func (r *Remote) Quantise(v []float32, dst []int8) bool {
	if len(v) != r.ServedDims || len(dst) != r.Dims() {
		return false
	}
	sq := 0.0
	for _, x := range v {
		sq += float64(float64(x) * float64(x)) // rounded on every machine alike
	}
	clear(dst)
	if math.IsNaN(sq) || math.IsInf(sq, 0) {
		return false
	}
	if sq == 0 {
		return true
	}
	scale := Norm / math.Sqrt(sq)
	for i, x := range v {
		dst[i] = int8(max(-127, min(127, math.Round(float64(float64(x)*scale)))))
	}
	return true
}
