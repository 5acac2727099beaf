package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// place is what is known of where an address lies.
type place struct {
	private bool // in this worker's private memory, if it is used at all
	known   bool // at this distance from its beginning
	at      int64
}

// findPlaces finds the addresses in private memory, which nobody else writes to:
// what a mask leaves out may be stored there as it was.
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
	switch v.Op {
	case vir.Load:
		if vir.IsPrivateBase(v) {
			return place{private: true, known: true}
		}
	case alu.Add, alu.Sub:
		x, y := s.places[v.Args[0].ID], s.places[v.Args[1].ID]
		by := v.Args[1]
		if v.Op == alu.Add && !x.private {
			x, y, by = y, x, v.Args[0]
		}
		switch {
		case !x.private || y.private:
			return place{}
		case by.Op == vir.Const && v.Op == alu.Add:
			x.at += int64(by.Const)
		default:
			x.known, x.at = false, 0
		}
		return x
	}
	return place{}
}

// private reports whether v accesses private memory, if any lane is on.
func (s *selector) private(v *vir.Value) bool { return s.places[v.Args[0].ID].private }

// inPrivate reports whether it does so in any case: an address that was computed,
// or is outside, may be any number where no lane uses it.
func (s *selector) inPrivate(v *vir.Value) bool {
	p := s.places[v.Args[0].ID]
	t := v.Accessed()
	at := p.at + v.Disp
	return p.known && at >= 0 && at <= int64(s.f.Scratch)-int64(t.Lanes*t.Elem.Size())
}
