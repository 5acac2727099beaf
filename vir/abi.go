package vir

// ABI describes the requirements of a compiled function to its caller, in addition to the
// arguments and the launch context.
type ABI []ABIField

// ABIField is one number of an ABI; a boolean is 1 or 0.
type ABIField struct {
	Name  string
	Value int
}

// MinPrivate is the minimum number of bytes of private memory, even if Scratch is 0:
// inactive lanes may read there through a null pointer.
const MinPrivate = 64

// ABI returns the fields of the function's ABI:
//
//	width          lanes, the work-items of a strip
//	private_bytes  size of the memory at CtxScratch; with phases, per strip of the group
//	local_bytes    size of the memory at CtxLocal, excluding that of arguments
//	groups         a call runs whole work-groups, otherwise a row of work-items
//	phases         all strips of a group have private memory at the same time
//	lane_dim       the dimension along which the lanes lie: in the Context, it is exchanged with 0
//	defers         work-items that need an expensive region are deferred to a later strip
func (f *Func) ABI() ABI {
	is := map[bool]int{true: 1}
	return ABI{
		{"width", f.Width},
		{"private_bytes", max(f.Scratch, MinPrivate)},
		{"local_bytes", f.Local},
		{"groups", is[f.Groups]},
		{"lane_dim", f.LaneDim},
		{"phases", is[f.Phases]},
		{"defers", is[f.Defers]},
	}
}

// Data is the data of a program, constants and variables, in one block. The caller places
// it at an address aligned to Align, stores the address in the table at CtxData and adds
// it to the 64-bit words at Addresses. If the program has variables, every kernel takes
// their address as an argument after those of the source.
type Data struct {
	Align     int
	Bytes     []byte // begins with the table of addresses
	Addresses []int  // offsets in Bytes of the words to relocate, ascending
	Variables int    // offset in Bytes of the variables, which extend to the end; 0 if there are none
}

// SymbolPrefix begins every symbol made for callers of compiled code, other than the
// kernels' own names. Kernels cannot have such names.
const SymbolPrefix = "__simtc_"

// Symbol returns the symbol in objects and assembly for a property of a function: a field
// of its ABI, "data" or "variables".
func Symbol(fact, function string) string { return SymbolPrefix + fact + "_" + function }

// Map returns the fields by name.
func (a ABI) Map() map[string]int {
	m := make(map[string]int, len(a))
	for _, f := range a {
		m[f.Name] = f.Value
	}
	return m
}
