package mcptest

// Named is a session whose store has a name, to tell sessions apart by.
func Named(store string) *Stored { return &Stored{fake: newFake(), name: store} }

// Stored is a session that says when it was closed.
type Stored struct {
	*fake
	name string
}

// Store returns its name.
func (s *Stored) Store() string { return s.name }

// Closed reports whether it was closed.
func (s *Stored) Closed() bool { return s.isClosed() }
