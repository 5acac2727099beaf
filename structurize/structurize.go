// Package structurize makes the control flow of a reducible kernel uniform by
// partial linearization (Moll & Hack, "Partial Control-Flow Linearization",
// PLDI 2018): branches on which all lanes agree stay branches, and where lanes
// part, one target is put off until control comes to it in a topological order
// of the blocks.
//
// Every block has a mask, the lanes that run it, and every edge has one, those
// that take it ("AVR Predication"). Lanes leave a loop one by one where they
// disagree: the loop has a live mask then, its exits have masks that gather
// over the rounds, and what lanes take along is set under the mask of the exit
// they leave by. Where lanes come together from several edges, parameters are
// blended.
//
// It must not know how operations are widened (package widen) nor any target.
package structurize

import (
	"fmt"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

// Options of Linearize.
type Options struct {
	widen.Options
	// Bypass says which regions are skipped when no lane needs them, beyond
	// those that must be.
	Bypass Bypass
	// Fold linearizes branches on which lanes agree too, those of loops aside:
	// what keeping them is worth can be measured against it.
	Fold bool
	// Ones says which regions have a second copy without masks, for when no lane
	// is missing.
	Ones Ones

	// What BypassAuto and OnesAuto go by, in one unit: what an operation costs in
	// the form it will have, what a mask adds to that, and what it costs to ask a
	// mask for lanes. Where nothing is said, an operation costs 1, a masked access
	// 1 more, and a question 2.
	Weigh, Masked Weigh
	Test          float64
}

// Weigh says what an operation costs.
type Weigh func(v *kernel.Value) float64

// complete fills in what is not said.
func (o *Options) complete() {
	if o.Weigh == nil {
		o.Weigh = func(*kernel.Value) float64 { return 1 }
	}
	if o.Masked == nil {
		o.Masked = func(v *kernel.Value) float64 {
			if v.Op == kernel.Load || v.Op == kernel.Store {
				return 1
			}
			return 0
		}
	}
	if o.Test == 0 {
		o.Test = 2
	}
}

// Bypass chooses all-zeros bypasses.
type Bypass uint8

const (
	BypassNone Bypass = iota // only where running a region without lanes would do harm
	BypassAuto               // and where the region is heavy
	BypassAll                // around every block with a mask of its own
)

// Ones chooses all-ones bypasses.
type Ones uint8

const (
	OnesNone Ones = iota
	OnesAuto      // around the region that has most of the work, or else the strip
	OnesAll       // around every region with a mask of its own, and the strip
)

// Linearize returns k as a vector function.
//
// requires: no Switch, one Return, no unreachable block, for more than one lane no
// irreducible cycle; every header has one entering and one back edge; a value defined in a cycle
// is used outside only through parameters (LCSSA); info of this very k
// maintains: k
// breaks: nothing
func Linearize(k *kernel.Func, info *divergence.Info, opt Options) (*vir.Func, *widen.Report, error) {
	opt.complete()
	f, err := newFlow(k, info, opt)
	if err != nil {
		return nil, nil, err
	}
	w := widen.New(k, info, opt.Options)
	l := &linearizer{masks: newMasks(f, w, opt), w: w}
	w.Report.Rounds = l.knownRounds()
	w.Strips(l.strip, l.findCopies(w, opt))
	if err := w.Err(); err != nil {
		return nil, nil, err
	}
	vir.RemoveUnreachable(w.F)
	vir.RemoveTrivialParams(w.F)
	w.F.Renumber()
	return w.F, &w.Report, nil
}

// Explain shows the order of the blocks, how each finds its mask, what waits
// and where control goes.
func Explain(k *kernel.Func, info *divergence.Info, opt Options) (string, error) {
	opt.complete()
	f, err := newFlow(k, info, opt)
	if err != nil {
		return "", err
	}
	w := widen.New(k, info, opt.Options)
	m := newMasks(f, w, opt)
	m.findCopies(w, opt)
	return f.String(m.notes), nil
}

// notes describes the mask of b.
func (m *masks) notes(b int) []string {
	if !m.own(b) {
		if b == 0 || m.leader[b] == 0 {
			return []string{"mask of the strip"}
		}
		if m.leader[b] == m.Entry(m.asks(b)) {
			return []string{"lanes that entered " + kernel.Label(m.K.Blocks[m.asks(b)])}
		}
		return []string{"mask of " + kernel.Label(m.K.Blocks[m.leader[b]])}
	}
	out := []string{"own mask"}
	if m.guard[b] != unguarded {
		to := "the end"
		if m.skip[b] != end {
			to = kernel.Label(m.K.Blocks[m.skip[b]])
		}
		out = append(out, guardNames[m.guard[b]]+" else "+to)
	}
	if until := m.copyEnd[b]; until > 0 {
		out = append(out, fmt.Sprintf("unmasked copy of %d blocks", until-m.Pos[b]))
	}
	return out
}
