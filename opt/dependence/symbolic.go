package dependence

import "github.com/simtc/simtc/kernel"

// Distance is a pair of accesses whose addresses grow by the same number of bytes per iteration. Their
// distance is the same in all iterations, and is known once the loop is entered.
type Distance struct {
	From, To *kernel.Value
	Step     int64 // bytes per iteration
	// Wraps means that the distance changes, by multiples of 2^32, where numbers of 32 bits wrap.
	Wraps bool
}

// maxStep bounds Distance.Step.
const maxStep = 1 << 20

// Conflicts returns the bounds of the distances, To's address less From's in one iteration, for
// which From in one iteration and To in one of the following n touch the same memory: those
// from low to below high. If Distance.Wraps, this holds for distances of less than 2^31.
func (d Distance) Conflicts(n int64) (low, high int64) {
	near, far := min(d.Step, n*d.Step), max(d.Step, n*d.Step)
	return -sizeOf(d.To) - far + 1, sizeOf(d.From) - near
}

// sizeOf returns the number of bytes that v accesses.
func sizeOf(v *kernel.Value) int64 { return int64(v.Accessed().Size() * max(v.Count, 1)) }

// symbolic returns the distance of a and b, if it is the same in all iterations.
func (l *Loop) symbolic(a, b access) (Distance, bool) {
	if a.v == b.v || l.varies(a.object) || l.varies(b.object) {
		return Distance{}, false
	}
	step, wraps, ok := l.stepOf(a.offset)
	other, otherWraps, otherOK := l.stepOf(b.offset)
	if !ok || !otherOK || step != other || step > maxStep || step < -maxStep {
		return Distance{}, false
	}
	return Distance{a.v, b.v, step, wraps || otherWraps}, true
}

// stepOf returns the constant number by which f grows per iteration. It fails if f depends on anything
// else that varies.
func (l *Loop) stepOf(f form) (step int64, wraps, ok bool) {
	for _, t := range f.terms {
		switch {
		case t.ext != nil:
			s, w, ok := l.stepOf(t.ext.x)
			if !ok || t.row != nil && s != 0 {
				return 0, false, false
			}
			step += t.coef * s
			wraps = wraps || w || s != 0
		case t.atom != &l.iteration:
			if l.varies(t.atom) {
				return 0, false, false
			}
		case t.row != nil:
			return 0, false, false
		default:
			step += t.coef
		}
	}
	return f.wrapped(step), wraps, true
}
