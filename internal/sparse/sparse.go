// Package sparse maps small numbers to pointers: the definitions of a variable in some of
// a function's blocks.
package sparse

// Map is an open-addressing hash table that stores keys and values together. Lookups
// dominate SSA construction in large functions, and a variable is defined in few blocks.
// The zero Map is empty. Keys must not be negative.
type Map[T any] struct {
	entries []entry[T] // a power of two, never full
	n       int
}

type entry[T any] struct {
	key   int32 // key + 1; 0 marks a free entry
	value *T
}

// at returns the entry of key, or the free entry for it.
func (m *Map[T]) at(key int) *entry[T] {
	mask := uint32(len(m.entries) - 1)
	k := int32(key + 1)
	for i := uint32(k) * 0x9e3779b1 >> 7; ; i++ {
		if e := &m.entries[i&mask]; e.key == k || e.key == 0 {
			return e
		}
	}
}

// Get returns the value of key, or nil.
func (m *Map[T]) Get(key int) *T {
	if m.n == 0 {
		return nil
	}
	return m.at(key).value
}

// Set sets the value of key.
func (m *Map[T]) Set(key int, v *T) {
	if 4*m.n >= 3*len(m.entries) {
		old := m.entries
		m.entries = make([]entry[T], max(4, 2*len(old)))
		for _, e := range old {
			if e.key != 0 {
				*m.at(int(e.key - 1)) = e
			}
		}
	}
	e := m.at(key)
	if e.key == 0 {
		e.key = int32(key + 1)
		m.n++
	}
	e.value = v
}
