package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// place is the known location of an address.
type place struct {
	private bool // in this worker's private memory, if it is accessed at all
	known   bool // whether its offset is known
	at      int64
}

// findPlaces finds the addresses in private memory, which has no other writers: inactive
// lanes may be stored there with their old contents.
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

// private reports whether v accesses private memory if any lane is active.
func (s *selector) private(v *vir.Value) bool { return s.places[v.Args[0].ID].private }

// inPrivate reports whether v accesses private memory unconditionally: a computed address,
// or one out of bounds, may be arbitrary if no lane uses it.
func (s *selector) inPrivate(v *vir.Value) bool {
	p := s.places[v.Args[0].ID]
	t := v.Accessed()
	at := p.at + v.Disp
	return p.known && at >= 0 && at <= int64(s.f.Scratch)-int64(t.Lanes*t.Elem.Size())
}
