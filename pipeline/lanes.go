package pipeline

import (
	"strings"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/deferral"
	"github.com/simtc/simtc/opt/lanes/interior"
	"github.com/simtc/simtc/opt/lanes/iterations"
	"github.com/simtc/simtc/opt/lanes/refill"
	"github.com/simtc/simtc/opt/lanes/regpromote"
	"github.com/simtc/simtc/opt/lanes/tripcount"
)

// unit is a prepared kernel on its way to a strategy: the subject of the passes that depend on
// what the lanes are. No pass modifies the prepared kernel, which all strategies share.
type unit struct {
	cfg Choice
	// parts has one element, or the immediate and the deferred part.
	parts    []lowering
	split    *deferral.Parts // nil: there is no deferred part
	refilled bool            // lanes fetch work-items themselves
	// shapes are those of the kernel before it was split.
	shapes *divergence.Info
}

// String returns the text of the parts.
func (u *unit) String() string {
	var texts []string
	for _, p := range u.parts {
		texts = append(texts, p.kernel.String())
	}
	return strings.Join(texts, "\n")
}

// check verifies the parts.
func (u *unit) check() error {
	for _, p := range u.parts {
		if err := kernel.Verify(p.kernel); err != nil {
			return err
		}
	}
	return nil
}

// set replaces the kernel by f, whose shapes are not known yet.
func (u *unit) set(f *kernel.Func) {
	if p := &u.parts[0]; f != p.kernel {
		p.kernel, p.info = f, nil
	}
}

// analyzed returns the kernel and the shapes of its values.
func (u *unit) analyzed() (*kernel.Func, *divergence.Info) {
	p := &u.parts[0]
	if p.info == nil {
		p.info = u.analyze(p.kernel)
	}
	return p.kernel, p.info
}

func (u *unit) analyze(f *kernel.Func) *divergence.Info {
	return divergence.Analyze(f, u.parts[0].cfg.analysis())
}

// reshapes reports whether passes may change the blocks of the kernel: profiles count those of
// the prepared kernel, and iterations as lanes and refilled loops have a form of their own.
func (u *unit) reshapes() bool { return !u.cfg.counting && u.parts[0].cfg.lanes != Iterations }

// lanePasses are the passes over a prepared kernel that depend on the strategy. They turn the
// exit conditions of loops with small or uniform trip counts into trip counts, version code for
// lanes away from boundaries, and split off regions that are deferred. One lane has passes of its own.
var lanePasses = pass.List[*unit]{
	Stage: "lanes", Check: (*unit).check,
	Passes: []pass.Pass[*unit]{
		{Name: "lanedim", Run: exchangeDimensions, Required: true},
		{Name: "groupsize", Run: fixSubGroupSize, Required: true},
		{Name: "near", Run: useNearIDs},
		{Name: "regpromote", Run: promoteToRegisters},
		{Name: "iterations", Run: runIterationsAsLanes, Required: true, After: []string{"groupsize"}},
		{Name: "refill", Run: refillLoop, After: []string{"iterations"}},
		{Name: "tripcount", Run: countTrips},
		{Name: "onelane", Run: specializeOneLane, After: []string{"tripcount"}},
		{Name: "interior", Run: splitInterior, After: []string{"tripcount"}},
		{Name: "defer", Run: deferRegion, After: []string{"interior", "iterations"}},
		{Name: "analyze", Run: analyzeParts, Required: true, After: []string{"defer"}},
		{Name: "equalities", Run: useEqualities, After: []string{"analyze"}},
		{Name: "meld", Run: meldArms, After: []string{"analyze"}},
	},
}

// fixSubGroupSize specializes the kernel for sub-groups of the strategy's width.
//
// requires: a prepared kernel
// maintains: what it computes at that width; the prepared kernel
func fixSubGroupSize(u *unit, st pass.Stats) { u.set(u.cfg.sized(u.parts[0].kernel, st)) }

// useNearIDs narrows 64-bit ids to 32 bits, for ranges that allow it (opt.Near).
//
// requires: ids below kernel.NearItems, unless the strategy is for far ones
// maintains: what the kernel computes; the prepared kernel
func useNearIDs(u *unit, st pass.Stats) {
	if !u.cfg.far && !u.cfg.counting {
		u.set(opt.Near(u.parts[0].kernel, st))
	}
}

// promoteToRegisters keeps memory that loops update in registers (package regpromote).
//
// requires: a prepared kernel
// maintains: what it computes; the prepared kernel
func promoteToRegisters(u *unit, st pass.Stats) {
	if u.cfg.counting {
		return
	}
	f := u.parts[0].kernel
	disjoint := f.Buffers()
	if u.cfg.overlap {
		disjoint = f.Unaliased()
	}
	u.set(regpromote.Promote(f, disjoint, st))
}

// runIterationsAsLanes makes the iterations of loops the lanes (package iterations), if the
// strategy says so.
//
// requires: a prepared kernel in which iterations.Fit finds a loop
// maintains: what it computes; the prepared kernel
func runIterationsAsLanes(u *unit, st pass.Stats) {
	if u.cfg.lanes == Iterations {
		u.set(iterations.Lanes(u.parts[0].kernel, u.cfg.iterationOptions(), st))
	}
}

// refillLoop lets lanes that have exited a loop take another work-item (package refill), if
// the strategy says so and the kernel has such a loop. Queries of the work-item then see all
// lanes as one, as with iterations.
//
// requires: a prepared kernel
// maintains: what it computes; the prepared kernel
func refillLoop(u *unit, st pass.Stats) {
	if u.cfg.divergence != Refill || u.cfg.width == 1 {
		return
	}
	f, info := u.analyzed()
	g := refill.Loop(f, info, refill.Options{Far: u.cfg.far})
	if g == nil {
		return
	}
	u.set(g)
	u.refilled, u.parts[0].cfg.lanes = true, Iterations
	st.Add("loops refilled", 1)
}

// countTrips replaces exit conditions by trip counts (package tripcount).
//
// requires: a prepared kernel
// maintains: what it computes; the prepared kernel
func countTrips(u *unit, st pass.Stats) {
	for u.reshapes() {
		f, info := u.analyzed()
		counted := tripcount.Count(f, info, st)
		if counted == f {
			return
		}
		u.set(counted)
	}
}

// specializeOneLane runs the passes for code of one lane (opt.OneLane).
//
// requires: a prepared kernel
// maintains: what it computes; the prepared kernel
func specializeOneLane(u *unit, st pass.Stats) {
	if u.reshapes() && u.cfg.width == 1 {
		u.set(opt.OneLane(u.parts[0].kernel, st))
	}
}

// splitInterior adds a version for lanes away from boundaries (package interior).
//
// requires: a prepared kernel
// maintains: what it computes; the prepared kernel
func splitInterior(u *unit, st pass.Stats) {
	if u.reshapes() && u.cfg.width > 1 {
		f, info := u.analyzed()
		u.set(interior.Split(f, info, u.cfg.width, u.analyze, st))
	}
}

// deferRegion splits the kernel into an immediate part and one for work-items that need an
// expensive region (package deferral), if the strategy says so and there is such a region.
//
// requires: a prepared kernel
// maintains: what the parts compute together; the prepared kernel
func deferRegion(u *unit, st pass.Stats) {
	f, info := u.analyzed()
	u.shapes = info
	if u.cfg.divergence != Defer || u.cfg.width == 1 {
		return
	}
	u.split = deferral.Split(f, info, deferral.Options{Far: u.cfg.far, NoAlias: !u.cfg.overlap, Leave: u.cfg.counting})
	if u.split == nil {
		return
	}
	c := u.parts[0].cfg
	u.parts = []lowering{{kernel: u.split.Now, cfg: c}, {kernel: u.split.Later, cfg: c}}
	st.Add("regions deferred", 1)
}

// analyzeParts computes the shapes of the values of each part.
//
// requires: prepared kernels
// maintains: the kernels
func analyzeParts(u *unit, _ pass.Stats) {
	for i := range u.parts {
		if p := &u.parts[i]; p.info == nil {
			p.info = divergence.Analyze(p.kernel, p.cfg.analysis())
		}
	}
	if u.shapes == nil {
		u.shapes = u.parts[0].info
	}
}

// useEqualities makes addresses and conditions uniform where all active lanes hold the same
// value (package equalities).
//
// requires: shapes of the values of each part
// maintains: what the parts compute; the prepared kernel
func useEqualities(u *unit, st pass.Stats) {
	for i, p := range u.parts {
		u.parts[i] = p.withEqualities(st)
	}
}

// meldArms merges the common code of the arms of divergent branches (package meld).
//
// requires: shapes of the values of each part
// maintains: what the parts compute; the prepared kernel
func meldArms(u *unit, st pass.Stats) {
	for i, p := range u.parts {
		u.parts[i] = p.melded(st)
	}
}
