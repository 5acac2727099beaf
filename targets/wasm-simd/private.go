package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// place is what is known of where an address lies.
type place uint8

const (
	anywhere place = iota
	private        // in this worker's private memory, if it is used at all
	fixed          // the same, at a known place: good whether or not it is used
)

// findPlaces finds the addresses in private memory, which nobody else writes to:
// what a mask leaves out may be stored there as it was. An address that is no
// more than private may be any number where no lane uses it.
func (s *selector) findPlaces() {
	s.places = make([]place, s.f.NumValues())
	for changed := true; changed; {
		changed = false
		for _, b := range s.f.Blocks {
			for _, v := range b.Values {
				if p := s.placeOf(v); p != s.places[v.ID] {
					s.places[v.ID], changed = p, true
				}
			}
		}
	}
}

func (s *selector) placeOf(v *vir.Value) place {
	of := func(a *vir.Value) place {
		if a.Op == vir.Const {
			return anywhere
		}
		return s.places[a.ID]
	}
	switch v.Op {
	case vir.Load:
		if v.Invariant && v.Args[0].Op == vir.Context && v.Disp == vir.CtxScratch {
			return fixed
		}
	case alu.Add, alu.Sub:
		x, y := v.Args[0], v.Args[1]
		if v.Op == alu.Add && of(x) == anywhere {
			x, y = y, x
		}
		switch {
		case of(x) == anywhere || of(y) != anywhere:
		case y.Op == vir.Const:
			return of(x)
		default:
			return private
		}
	}
	return anywhere
}
