package syntax

import "github.com/pindex-dev/pindex/artifact"

// Decl is one declaration, in source order; a parent precedes its children.
// Byte offsets refer to the bytes given to Parse.
type Decl struct {
	Kind       artifact.Kind
	Flags      artifact.SymbolFlags
	Name       string // such as "url_for"; for an anonymous impl or extension the type's name
	Descriptor string // own SCIP descriptor, such as "Flask#", "url_for().", "name."; without the parent's
	Parent     int32  // index into Decls; -1 at top level
	// Owner and OwnerDescriptor name the declaration that this one belongs to
	// when that one does not enclose it: "Server" and "Server#" for a Go
	// method, "ns.Shape" and "ns#Shape#" for a C++ function that is defined
	// outside of its class. They stand between the parent's qualified name
	// and the own one: see Facts.Qualified.
	Owner           string
	OwnerDescriptor string
	NameAt          uint32 // byte offset of the name; Start when the declaration has none

	// Start and End bound the declaration with the documentation comment,
	// decorators and attributes that belong to it: [Start, End).
	Start, End uint32
	// Doc bounds its documentation (leading comment or docstring); empty when
	// there is none.
	DocStart, DocEnd uint32
	// Sig bounds the declaration from its first keyword up to its body.
	SigStart, SigEnd uint32
}

// Occurrence is one use of a name, in source order.
type Occurrence struct {
	At       uint32 // byte offset of the name
	Role     artifact.Role
	Name     string
	Receiver string // see artifact.Occurrence
}

// Import is one binding made by an import statement, in source order.
type Import struct {
	At                  uint32
	Module, Name, Alias string // see artifact.Import
}

// Local is a name that a callable or block binds, see artifact.Local. The order
// is that in which they were met.
type Local struct {
	At         uint32
	Name       string
	Kind       artifact.Kind
	Start, End uint32 // the scope, [Start, End)
	Type       string // see artifact.Local
}

// LocalUse is one use of a local.
type LocalUse struct {
	At    uint32
	Role  artifact.Role
	Local int32 // index into Facts.Locals
}

// Facts is all that one file's syntax says.
type Facts struct {
	Decls       []Decl
	Occurrences []Occurrence
	Imports     []Import
	Locals      []Local
	LocalUses   []LocalUse
	// Degraded is DegradedNone, DegradedSyntax (the tree has error nodes; what
	// parsed around them is here), or a reason for which the rest is empty:
	// DegradedBudget, DegradedDepth.
	Degraded artifact.Degraded
}

// Qualified returns, for each declaration, its name and its descriptor
// qualified within the file, such as "Flask.url_for" and "Flask#url_for().".
func (f *Facts) Qualified() (names, descriptors []string) {
	names, descriptors = make([]string, len(f.Decls)), make([]string, len(f.Decls))
	for i := range f.Decls {
		d := &f.Decls[i]
		name, desc := d.Name, d.OwnerDescriptor+d.Descriptor
		if d.Owner != "" {
			name = d.Owner + "." + name
		}
		if d.Parent >= 0 {
			name, desc = names[d.Parent]+"."+name, descriptors[d.Parent]+desc
		}
		names[i], descriptors[i] = name, desc
	}
	return names, descriptors
}
