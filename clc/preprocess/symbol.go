package preprocess

// symbol is an identifier; symbols are unique per spelling.
type symbol struct {
	name  string
	hash  uint32
	id    uint32    // its number, which orders hide sets
	hide  uint32    // the hide set with only this symbol, 0 until needed
	dir   directive // the directive with this name
	macro *macro    // nil when not defined

	poisoned bool // by #pragma GCC poison
}

// symbolTable interns identifiers: open addressing, a power of two of slots.
type symbolTable struct {
	slots []*symbol
	n     uint32

	defined, vaArgs, pragma *symbol
	wide                    *symbol // L, the prefix of wide literals
	yes                     *symbol // true
}

func (st *symbolTable) init() {
	st.slots = make([]*symbol, 1024)
	for name, d := range directives {
		st.get(name).dir = d
	}
	st.defined = st.get("defined")
	st.vaArgs = st.get("__VA_ARGS__")
	st.pragma = st.get("_Pragma")
	st.wide = st.get("L")
	st.yes = st.get("true")
	for name, b := range builtins {
		s := st.get(name)
		s.macro = &macro{name: s, builtin: b}
	}
}

// FNV-1a, 32 bits.
const (
	hashStart = 2166136261
	hashPrime = 16777619
)

// get returns the symbol spelled name.
func (st *symbolTable) get(name string) *symbol {
	h := uint32(hashStart)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint32(name[i])) * hashPrime
	}
	return st.lookup(name, h)
}

// lookup is get for a name whose hash is known.
func (st *symbolTable) lookup(name string, h uint32) *symbol {
	mask := uint32(len(st.slots) - 1)
	i := h & mask
	for {
		s := st.slots[i]
		if s == nil {
			break
		}
		if s.hash == h && s.name == name {
			return s
		}
		i = (i + 1) & mask
	}
	s := &symbol{name: name, hash: h, id: st.n}
	st.n++
	st.slots[i] = s
	if st.n*2 > uint32(len(st.slots)) {
		st.grow()
	}
	return s
}

func (st *symbolTable) grow() {
	old := st.slots
	st.slots = make([]*symbol, 4*len(old))
	mask := uint32(len(st.slots) - 1)
	for _, s := range old {
		if s == nil {
			continue
		}
		i := s.hash & mask
		for st.slots[i] != nil {
			i = (i + 1) & mask
		}
		st.slots[i] = s
	}
}
