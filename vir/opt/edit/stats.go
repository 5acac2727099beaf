package edit

// Stats counts what the passes did, by name; a nil Stats counts nothing.
type Stats map[string]int

// Add adds n to a counter.
func (s Stats) Add(name string, n int) {
	if s != nil && n != 0 {
		s[name] += n
	}
}
