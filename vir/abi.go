package vir

// ABI is what a caller of code must know of its function, besides the arguments and
// the launch context.
type ABI []ABIField

// ABIField is a number of an ABI; for what is so or not, 1 or 0.
type ABIField struct {
	Name  string
	Value int
}

// LeastPrivate is how many bytes of private memory there must be even if Scratch is 0:
// lanes that do not run may read from a null pointer there.
const LeastPrivate = 64

// ABI tells how the function is called:
//
//	width          lanes, the work-items of a strip
//	private_bytes  memory that must lie at CtxScratch; with phases for each strip
//	               of the group
//	local_bytes    memory that must lie at CtxLocal, before that of arguments
//	groups         a call runs whole work-groups, else a row of work-items
//	phases         all strips of a group have private memory at the same time
//	defers         work-items that need an expensive region run later
func (f *Func) ABI() ABI {
	is := map[bool]int{true: 1}
	return ABI{
		{"width", f.Width},
		{"private_bytes", max(f.Scratch, LeastPrivate)},
		{"local_bytes", f.Local},
		{"groups", is[f.Groups]},
		{"phases", is[f.Phases]},
		{"defers", is[f.Defers]},
	}
}

// Data is the data of a program, constants and variables, in one piece, for callers to
// place: at an address that Align divides and that belongs into CtxData and is to be added to
// some words of 64 bits. All kernels of a program with variables take the address of those as
// an argument, which follows those of the source.
type Data struct {
	Align     int
	Bytes     []byte // begins with the table of addresses
	Addresses []int  // where in Bytes such a word is, ascending
	Variables int    // where in Bytes the variables begin, which are the rest; 0 if there are none
}

// SymbolPrefix begins every name that is made for callers of compiled code besides the
// kernels' own. Kernels cannot have such names.
const SymbolPrefix = "__simtc_"

// Symbol is the name in objects and assembly of a fact about a function: a field of its
// ABI, "data" or "variables".
func Symbol(fact, function string) string { return SymbolPrefix + fact + "_" + function }

// Map returns the numbers by name.
func (a ABI) Map() map[string]int {
	m := make(map[string]int, len(a))
	for _, f := range a {
		m[f.Name] = f.Value
	}
	return m
}
