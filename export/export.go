// Package export writes an index's structural view for other tools: as a SCIP
// index, and as JSON lines.
package export

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/scip-code/scip/bindings/go/scip"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query"
)

// Options say what is exported.
type Options struct {
	// Version of the program, for the index's metadata.
	Version string
	// Heuristic includes bindings that are likely and not proven.
	Heuristic bool
}

// Fields of scip.Index.
const (
	fieldMetadata  = 1
	fieldDocuments = 2
)

// SCIP writes a SCIP index, one document at a time. Equal indexes give equal
// bytes. Files with a SCIP document give its content back; all others what
// syntax says, with symbols that query.SymbolID makes. Occurrences are sorted,
// columns count bytes.
func SCIP(ctx context.Context, e *query.Engine, w io.Writer, o Options) error {
	out := bufio.NewWriterSize(w, 256<<10)
	message := func(field protowire.Number, m proto.Message) error {
		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			return err
		}
		head := protowire.AppendTag(nil, field, protowire.BytesType)
		head = protowire.AppendVarint(head, uint64(len(b)))
		if _, err := out.Write(head); err != nil {
			return err
		}
		_, err = out.Write(b)
		return err
	}
	if err := message(fieldMetadata, &scip.Metadata{
		ToolInfo:    &scip.ToolInfo{Name: "pindex", Version: o.Version},
		ProjectRoot: "file:///", TextDocumentEncoding: scip.TextEncoding_UTF8,
	}); err != nil {
		return err
	}
	if err := e.EachFile(ctx, o.Heuristic, func(f *query.FileFacts) error {
		d := document(f)
		if d == nil {
			return nil
		}
		return message(fieldDocuments, d)
	}); err != nil {
		return err
	}
	return out.Flush()
}

// document turns a file's facts into a SCIP document; nil where SCIP cannot
// name the file.
func document(f *query.FileFacts) *scip.Document {
	if strings.ToValidUTF8(f.Path, "") != f.Path {
		return nil
	}
	d := &scip.Document{
		Language: f.Lang, RelativePath: f.Path, PositionEncoding: scip.PositionEncoding_UTF8CodeUnitOffsetFromLineStart,
	}
	infos := map[string]*scip.SymbolInformation{}
	add := func(id string, start, end artifact.Position, around [2]artifact.Position, roles artifact.SymbolRoles) bool {
		if _, err := scip.ParseSymbol(id); err != nil {
			return false // such as a name that is not UTF-8
		}
		//lint:ignore SA1019 the form that readers of today understand
		occ := &scip.Occurrence{Range: scipRange(start, end), Symbol: id, SymbolRoles: int32(roles)}
		if around[0].Line > 0 {
			//lint:ignore SA1019 as above
			occ.EnclosingRange = scipRange(around[0], around[1])
		}
		d.Occurrences = append(d.Occurrences, occ)
		return true
	}
	for _, s := range f.Declared {
		if !add(s.ID, s.Start, s.End, s.Around, s.Roles) || infos[s.ID] != nil {
			continue
		}
		info := &scip.SymbolInformation{Symbol: s.ID, Kind: kind(s.Kind), DisplayName: strings.ToValidUTF8(s.Name, "\uFFFD")}
		if line := strings.TrimSpace(strings.ToValidUTF8(string(s.Line.Bytes()), "\uFFFD")); line != "" {
			info.Documentation = []string{"```" + f.Lang + "\n" + line + "\n```"}
		}
		infos[s.ID] = info
		d.Symbols = append(d.Symbols, info)
	}
	for _, u := range f.Used {
		roles := u.Roles
		if roles == 0 {
			roles = rolesOf(u.Role)
		}
		add(u.ID, u.Start, u.End, [2]artifact.Position{}, roles)
	}
	for _, r := range f.Relates {
		info := infos[r.Symbol]
		if info == nil {
			continue
		}
		info.Relationships = append(info.Relationships, &scip.Relationship{
			Symbol: r.Target, IsReference: r.Flags&artifact.RelationReference != 0,
			IsImplementation: r.Flags&artifact.RelationImplementation != 0,
			IsTypeDefinition: r.Flags&artifact.RelationTypeDefinition != 0, IsDefinition: r.Flags&artifact.RelationDefinition != 0,
		})
	}
	slices.SortStableFunc(d.Occurrences, func(a, b *scip.Occurrence) int { return a.Compare(b) })
	d.Occurrences = slices.CompactFunc(d.Occurrences, func(a, b *scip.Occurrence) bool {
		return a.Compare(b) == 0 && a.SymbolRoles == b.SymbolRoles
	})
	slices.SortStableFunc(d.Symbols, func(a, b *scip.SymbolInformation) int { return strings.Compare(a.Symbol, b.Symbol) })
	if len(d.Occurrences) == 0 {
		return nil
	}
	return d
}

func scipRange(start, end artifact.Position) []int32 {
	if start.Line == end.Line {
		return []int32{int32(start.Line - 1), int32(start.Col - 1), int32(end.Col - 1)}
	}
	return []int32{int32(start.Line - 1), int32(start.Col - 1), int32(end.Line - 1), int32(end.Col - 1)}
}

func rolesOf(r artifact.Role) artifact.SymbolRoles {
	switch r {
	case artifact.RoleImport, artifact.RoleExport:
		return artifact.RolesImport
	case artifact.RoleWrite:
		return artifact.RolesWrite
	case artifact.RoleRead, artifact.RoleCall:
		return artifact.RolesRead
	}
	return 0
}

func kind(k artifact.Kind) scip.SymbolInformation_Kind {
	switch k {
	case artifact.KindModule:
		return scip.SymbolInformation_Module
	case artifact.KindNamespace:
		return scip.SymbolInformation_Namespace
	case artifact.KindPackage:
		return scip.SymbolInformation_Package
	case artifact.KindClass:
		return scip.SymbolInformation_Class
	case artifact.KindStruct:
		return scip.SymbolInformation_Struct
	case artifact.KindEnum:
		return scip.SymbolInformation_Enum
	case artifact.KindUnion:
		return scip.SymbolInformation_Union
	case artifact.KindTrait:
		return scip.SymbolInformation_Trait
	case artifact.KindInterface:
		return scip.SymbolInformation_Interface
	case artifact.KindProtocol:
		return scip.SymbolInformation_Protocol
	case artifact.KindObject:
		return scip.SymbolInformation_Object
	case artifact.KindType:
		return scip.SymbolInformation_TypeAlias
	case artifact.KindFunction:
		return scip.SymbolInformation_Function
	case artifact.KindMethod:
		return scip.SymbolInformation_Method
	case artifact.KindConstructor:
		return scip.SymbolInformation_Constructor
	case artifact.KindProperty:
		return scip.SymbolInformation_Property
	case artifact.KindField:
		return scip.SymbolInformation_Field
	case artifact.KindConstant:
		return scip.SymbolInformation_Constant
	case artifact.KindVariable:
		return scip.SymbolInformation_Variable
	case artifact.KindMacro:
		return scip.SymbolInformation_Macro
	case artifact.KindEnumMember:
		return scip.SymbolInformation_EnumMember
	}
	return scip.SymbolInformation_UnspecifiedKind
}

// Unit and Edge are the two forms of a line of JSONLines.
type Unit struct {
	Type    string `json:"type"` // "unit"
	ID      string `json:"id"`
	Path    string `json:"path,omitempty"`
	PathB64 []byte `json:"path_b64,omitempty"`
	Lang    string `json:"lang,omitempty"`
	Name    string `json:"name,omitempty"`
	Kind    string `json:"kind"`
	Line    uint32 `json:"line"` // of the name
	Col     uint32 `json:"col"`  // in bytes, from 1
	Start   uint32 `json:"start_line,omitempty"`
	End     uint32 `json:"end_line,omitempty"`
	Precise bool   `json:"precise,omitempty"`
}

// Edge is one bound use: From is the declaration around it, "" at the top
// level of a file.
type Edge struct {
	Type       string `json:"type"` // "edge"
	From       string `json:"from"`
	To         string `json:"to"`
	Path       string `json:"path,omitempty"`
	PathB64    []byte `json:"path_b64,omitempty"`
	Line       uint32 `json:"line"`
	Col        uint32 `json:"col"`
	Role       string `json:"role"`
	Provenance string `json:"provenance"`
	Rule       string `json:"rule"`
}

// JSONLines writes one JSON object a line: the declarations of each file and
// then its bound uses. A "local N" id is one of its file alone.
func JSONLines(ctx context.Context, e *query.Engine, w io.Writer, o Options) error {
	out := bufio.NewWriterSize(w, 256<<10)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := e.EachFile(ctx, o.Heuristic, func(f *query.FileFacts) error {
		path, raw := f.Path, []byte(nil)
		if strings.ToValidUTF8(path, "") != path {
			path, raw = "", []byte(f.Path)
		}
		for _, s := range f.Declared {
			if err := enc.Encode(Unit{
				Type: "unit", ID: s.ID, Path: path, PathB64: raw, Lang: f.Lang, Name: s.Name, Kind: s.Kind.String(),
				Line: s.Start.Line, Col: s.Start.Col, Start: s.Around[0].Line, End: s.Around[1].Line, Precise: f.Precise,
			}); err != nil {
				return err
			}
		}
		for _, u := range f.Used {
			if err := enc.Encode(Edge{
				Type: "edge", From: u.In, To: u.ID, Path: path, PathB64: raw, Line: u.Start.Line, Col: u.Start.Col,
				Role: u.Role.String(), Provenance: string(u.Provenance), Rule: u.Rule,
			}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return out.Flush()
}
