// Package remotetest imitates servers of embeddings, of reranking and of chat:
// what each dialect answers, and what each does wrong.
package remotetest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// A Fault is something that a server does wrong.
type Fault string

// The faults. Those that pass happen Server.Times times.
const (
	None       Fault = ""
	Count      Fault = "one vector too few"
	Order      Fault = "in another order, told by index" // which is right
	NoIndex    Fault = "no index"                        // which is right, too
	SameIndex  Fault = "one index twice"
	NaN        Fault = "NaN"
	Null       Fault = "null in a vector"
	Huge       Fault = "numbers beyond a float's range"
	Dims       Fault = "other dimensions"
	NoDims     Fault = "no dimensions"
	Base64     Fault = "base64" // which is right
	Truncated  Fault = "truncated"
	Endless    Fault = "endless answer"
	NoJSON     Fault = "no JSON"
	Redirect   Fault = "redirect"
	Busy       Fault = "429"
	BusyLong   Fault = "429 for an hour"
	Zeros      Fault = "zeros"
	Broken     Fault = "500"
	Denied     Fault = "401"
	Slow       Fault = "slow"
	Hangup     Fault = "hangs up"
	BatchLimit Fault = "at most 4 texts"
	TextLimit  Fault = "at most 1000 bytes"
)

// Server imitates one. Its fields are set before Start, and under Lock after.
type Server struct {
	sync.Mutex
	Dimensions int    // of its vectors; 64
	ModelName  string // the only one it has; another name is an error; "" takes any
	Secret     string // salts the vectors: another secret is another model
	Key        string // that it wants; "" wants none
	Fault      Fault
	Times      int           // how often a fault happens; 0 for ever
	Delay      time.Duration // of every text
	// Script says what a chat model answers; nil for a server without.
	Script func(ChatRequest) ChatReply

	Requests int
	Texts    []string // that it was asked for, in order
	Seen     []string // authorization headers

	srv *httptest.Server
}

// Start starts it and returns its address, without a path.
func (s *Server) Start() string {
	if s.Dimensions == 0 {
		s.Dimensions = 64
	}
	s.srv = httptest.NewServer(s)
	return s.srv.URL
}

// Close stops it.
func (s *Server) Close() { s.srv.Close() }

// Vector is what the server gives for a text: the sum of its words, each of
// which has three coordinates of its own.
func (s *Server) Vector(text string) []float32 {
	v := make([]float32, s.Dimensions)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	for _, w := range words {
		for i := range 3 {
			h := fnv.New64a()
			fmt.Fprintf(h, "%s %d %s", s.Secret, i, w)
			x := h.Sum64()
			v[x%uint64(len(v))] += float32(1-2*int(x>>63)) * (1 + float32(x>>40&255)/256)
		}
	}
	v[0] += 0.01
	return v
}

func (s *Server) fault() Fault {
	f := s.Fault
	if s.Times > 0 {
		if s.Times--; s.Times == 0 {
			s.Fault = None
		}
	}
	return f
}

// ServeHTTP answers /v1/models, /v1/embeddings and /v1/rerank, and the latter
// two without /v1.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	s.Requests++
	s.Seen = append(s.Seen, r.Header.Get("Authorization"))
	if s.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.Key {
		refuse(w, http.StatusUnauthorized, "the key "+r.Header.Get("Authorization")+" is wrong")
		return
	}
	var in struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Dimensions int      `json:"dimensions"`
		Query      string   `json:"query"`
		Documents  []string `json:"documents"`
		ChatRequest
	}
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			refuse(w, http.StatusBadRequest, err.Error())
			return
		}
	}
	texts := append(in.Input, in.Documents...)
	for _, m := range in.Messages {
		texts = append(texts, m.Content)
	}
	fault := s.fault()
	if s.plainFault(w, fault, texts) {
		return
	}
	if s.ModelName != "" && in.Model != s.ModelName && r.Method == http.MethodPost {
		refuse(w, http.StatusNotFound, "there is no model "+in.Model)
		return
	}
	switch strings.TrimPrefix(r.URL.Path, "/v1") {
	case "/models":
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model"}]}`, s.ModelName)
	case "/embeddings":
		s.Texts = append(s.Texts, in.Input...)
		time.Sleep(s.Delay * time.Duration(len(in.Input)))
		s.embeddings(w, in.Input, fault)
	case "/rerank":
		s.Texts = append(s.Texts, in.Documents...)
		s.rerank(w, in.Query, in.Documents, fault)
	case "/chat/completions":
		if s.Script == nil {
			refuse(w, http.StatusNotFound, "this is no chat model")
			return
		}
		s.Texts = append(s.Texts, texts...)
		s.chat(w, s.Script(in.ChatRequest), fault)
	default:
		refuse(w, http.StatusNotFound, "no such path")
	}
}

// plainFault does what is wrong with any answer, whatever was asked for.
func (s *Server) plainFault(w http.ResponseWriter, f Fault, texts []string) bool {
	switch f {
	case Busy:
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "slow down")
	case BusyLong:
		w.Header().Set("Retry-After", "3600")
		refuse(w, http.StatusTooManyRequests, "slow down")
	case Broken:
		http.Error(w, "<html>oops</html>", http.StatusInternalServerError)
	case Denied:
		refuse(w, http.StatusForbidden, "not for you")
	case Redirect:
		w.Header().Set("Location", "http://192.0.2.1/elsewhere")
		w.WriteHeader(http.StatusTemporaryRedirect)
	case NoJSON:
		_, _ = io.WriteString(w, "<html>this is a page</html>")
	case Truncated:
		_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":[0.5,`)
	case Endless:
		for range 1 << 12 {
			if _, err := io.WriteString(w, strings.Repeat(" ", 1<<12)); err != nil {
				break
			}
		}
	case Slow:
		s.Unlock()
		time.Sleep(400 * time.Millisecond)
		s.Lock()
	case Hangup:
		panic(http.ErrAbortHandler)
	case BatchLimit:
		if len(texts) <= 4 {
			return false
		}
		refuse(w, http.StatusRequestEntityTooLarge, "batch size > maximum allowed batch size 4")
	case TextLimit:
		for _, t := range texts {
			if len(t) > 1000 {
				refuse(w, http.StatusBadRequest, "this model's maximum context length is 1000 bytes")
				return true
			}
		}
		return false
	default:
		return false
	}
	return f != Slow
}

func refuse(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	b, _ := json.Marshal(map[string]any{"error": map[string]string{"message": text, "type": "invalid_request_error"}})
	_, _ = w.Write(b)
}

func (s *Server) embeddings(w http.ResponseWriter, texts []string, f Fault) {
	items := make([]string, len(texts))
	for i, t := range texts {
		at := i
		if f == Order {
			at = len(texts) - 1 - i
			t = texts[at]
		}
		if f == SameIndex {
			at = 0
		}
		v := s.Vector(t)
		if f == Dims {
			v = v[:len(v)-1]
		}
		if f == NoDims {
			v = v[:0]
		}
		emb := numbers(v)
		switch f {
		case NaN:
			emb = "[NaN" + emb[strings.IndexByte(emb, ','):]
		case Null:
			emb = "[null" + emb[strings.IndexByte(emb, ','):]
		case Zeros:
			emb = "[0" + strings.Repeat(",0", len(v)-1) + "]"
		case Huge:
			emb = "[1e300" + emb[strings.IndexByte(emb, ','):]
		case Base64:
			var b []byte
			for _, x := range v {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
			}
			emb = `"` + base64.StdEncoding.EncodeToString(b) + `"`
		}
		items[i] = fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, at, emb)
		if f == NoIndex {
			items[i] = fmt.Sprintf(`{"embedding":%s}`, emb)
		}
	}
	if f == Count {
		items = items[1:]
	}
	fmt.Fprintf(w, `{"object":"list","data":[%s],"model":%q,"usage":{"prompt_tokens":1}}`, strings.Join(items, ","), s.ModelName)
}

func numbers(v []float32) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// rerank scores a text by the share of the question's words that it has.
func (s *Server) rerank(w http.ResponseWriter, query string, texts []string, f Fault) {
	words := strings.Fields(strings.ToLower(query))
	items := []string{}
	for i := len(texts) - 1; i >= 0; i-- {
		n := 0
		for _, word := range words {
			if strings.Contains(strings.ToLower(texts[i]), word) {
				n++
			}
		}
		at, score := i, fmt.Sprint(float64(n)/float64(len(words)+1))
		switch f {
		case SameIndex:
			at = 0
		case NaN:
			score = "NaN"
		case Null:
			score = "null"
		}
		items = append(items, fmt.Sprintf(`{"index":%d,"relevance_score":%s}`, at, score))
	}
	if f == Count {
		items = items[1:]
	}
	if f == NoIndex { // the bare list of Text Embeddings Inference
		fmt.Fprint(w, strings.ReplaceAll("["+strings.Join(items, ",")+"]", "relevance_score", "score"))
		return
	}
	fmt.Fprintf(w, `{"model":"m","results":[%s]}`, strings.Join(items, ","))
}
