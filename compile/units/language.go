package units

// Language returns the name of a file's language by its name, its extension
// or its first line, "" when none is known. head is the start of the decoded
// text; 4 KiB are enough.
func Language(path string, head []byte) string { return "" }
