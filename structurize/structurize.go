// Package structurize makes the control flow of a reducible kernel uniform by
// partial linearization (Moll & Hack, "Partial Control-Flow Linearization",
// PLDI 2018): uniform branches stay branches; at a divergent branch control continues
// at one target and the other is deferred until its turn in a topological order of the
// blocks.
//
// Every block has a mask, the lanes that run it, and every edge has one, the lanes that
// take it ("AVR Predication"). A loop with a divergent exit has a live mask: its exit
// masks accumulate over the iterations, and live-outs are set under the mask of the exit
// that a lane takes. Block parameters are blended where lanes reconverge from several
// edges.
//
// It must be free of widening (package widen) and of targets.
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
	// Bypass selects the regions that are skipped when no lane needs them, beyond
	// those that must be skipped.
	Bypass Bypass
	// Fold linearizes uniform branches too, except those of loops. It serves to measure
	// the benefit of keeping them.
	Fold bool
	// Ones selects the regions that have a second, unmasked copy for a full mask.
	Ones Ones

	// Costs that BypassAuto and OnesAuto use, in one unit: of an operation in its
	// widened form, of the mask in addition, and of a test for an empty mask. The
	// defaults are 1 for an operation, 1 more for a masked access, and 2 for a test.
	Weigh, Masked Weigh
	Test          float64
}

// Weigh returns the cost of an operation.
type Weigh func(v *kernel.Value) float64

// complete sets the defaults of costs.
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
	BypassNone Bypass = iota // only where running a region with an empty mask has an effect
	BypassAuto               // and where the region is heavy
	BypassAll                // around every block with a mask of its own
)

// Ones chooses all-ones bypasses.
type Ones uint8

const (
	OnesNone Ones = iota
	OnesAuto      // around the region with most of the work, or else the strip
	OnesAll       // around every region with a mask of its own, and the strip
)

// Linearize returns k as a vector function.
//
// requires: no Switch, one Return, no unreachable block; no irreducible cycle unless the
// width is 1; every header has one entering and one back edge; LCSSA; info describes k
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
	w.Report.TripCounts = l.constantTripCounts()
	w.Strips(l.strip, l.findCopies(w, opt))
	if err := w.Err(); err != nil {
		return nil, nil, err
	}
	vir.RemoveUnreachable(w.F)
	vir.RemoveTrivialParams(w.F)
	w.F.Renumber()
	return w.F, &w.Report, nil
}

// Explain prints the order of the blocks and for each block the source of its mask, its
// pending targets and the next block.
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
		if m.leader[b] == m.Entry(m.tester(b)) {
			return []string{"lanes that entered " + kernel.Label(m.K.Blocks[m.tester(b)])}
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
