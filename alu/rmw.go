package alu

// RMW is the operation by which an atomic read-modify-write computes the new value from the old one and
// its operand; its result is the old value.
type RMW uint8

const (
	RMWAdd RMW = iota
	RMWSub
	RMWAnd
	RMWOr
	RMWXor
	RMWSMin
	RMWSMax
	RMWUMin
	RMWUMax
	RMWXchg // the operand

	NumRMW
)

// RMWInfo is the table row of an RMW.
type RMWInfo struct {
	Name string
	Op   Op // new = Op(old, operand); Invalid for the operand itself
	// Fold combines the operands of consecutive operations into one operand with the same
	// effect; Invalid selects the last operand.
	Fold Op
}

var rmws = [NumRMW]RMWInfo{
	RMWAdd:  {"add", Add, Add},
	RMWSub:  {"sub", Sub, Add},
	RMWAnd:  {"and", And, And},
	RMWOr:   {"or", Or, Or},
	RMWXor:  {"xor", Xor, Xor},
	RMWSMin: {"smin", SMin, SMin},
	RMWSMax: {"smax", SMax, SMax},
	RMWUMin: {"umin", UMin, UMin},
	RMWUMax: {"umax", UMax, UMax},
	RMWXchg: {"xchg", Invalid, Invalid},
}

// Info returns the row of k, with an empty Name if there is none.
func (k RMW) Info() RMWInfo {
	if k >= NumRMW {
		return RMWInfo{}
	}
	return rmws[k]
}

func (k RMW) String() string { return k.Info().Name }

// ParseRMW finds an RMW by name.
func ParseRMW(name string) (RMW, bool) {
	for k, in := range rmws {
		if in.Name == name {
			return RMW(k), true
		}
	}
	return 0, false
}

// Apply returns the new value of type t.
func (k RMW) Apply(t Type, old, operand uint64) uint64 {
	if op := k.Info().Op; op != Invalid {
		return Eval(op, t, t, old, operand, 0)
	}
	return operand & t.Mask()
}

// Identity returns the operand without effect, for all but xchg.
func (k RMW) Identity(t Type) uint64 {
	switch k {
	case RMWAnd, RMWUMin:
		return t.Mask()
	case RMWSMin:
		return t.Mask() >> 1
	case RMWSMax:
		return t.Mask()>>1 + 1
	}
	return 0
}
