package artifact

var viewNames = [...]string{
	Units: "units", Source: "source", Lexical: "lexical", Dense: "dense", Structural: "structural",
}

// String returns the view's name as manifests and command lines spell it,
// "unknown" for a number from a later format.
func (v View) String() string {
	if int(v) < len(viewNames) && viewNames[v] != "" {
		return viewNames[v]
	}
	return "unknown"
}

// ParseView returns the view with the given name.
func ParseView(name string) (View, bool) {
	for _, v := range Views {
		if viewNames[v] == name {
			return v, true
		}
	}
	return 0, false
}
