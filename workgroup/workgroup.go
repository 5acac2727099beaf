// Package workgroup implements barriers of work-groups. It splits a kernel at its
// barriers into phases, from the entry of the kernel to a return; the work-items run each
// phase one after another (Stratton, Stone & Hwu, "MCUDA", LCPC 2008; Karrenberg & Hack,
// "Improving Performance of OpenCL on CPUs", CC 2012).
//
// The kernel then begins with a switch on the phase, a word of the group's state
// (kernel.GroupState). At a barrier it requests the next phase in two other words: the
// minimum and the maximum of the phases that work-items requested. The runner of a group
// lets all work-items run phase 0, then the requested phase, until none is requested. If
// the two words differ, work-items wait at different barriers. Where that is impossible,
// both words are simply stored. Values live at a barrier are kept in private memory, or
// recomputed if that is cheap.
//
// Work-items may return while others wait. They do nothing in later phases; the group's
// state records that some have returned.
//
// The package is independent of the number of lanes.
package workgroup

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Barriers is the kernel pass that splits kernels and simplifies the result.
//
// requires: no unreachable blocks; maintains: SSA; breaks: LCSSA, one return
func Barriers(f *kernel.Func, st opt.Stats) {
	if Split(f, st) {
		opt.RemoveTrivialParams(f, st)
		opt.RemoveDead(f, st)
		opt.SimplifyControl(f, st)
	}
}

// Split cuts f at its barriers, and reports whether there were any.
//
// requires: no unreachable blocks; maintains: SSA; breaks: LCSSA, one return
func Split(f *kernel.Func, st opt.Stats) bool {
	ends := cut(f)
	if len(ends) == 0 {
		return false
	}
	placeComponents(f)
	f.Renumber()
	s := &splitter{f: f, live: liveness(f, ends), cuts: ends, uniform: findUniform(f)}
	if f.Uses(kernel.Ballot, kernel.Shuffle) {
		s.loops = cfg.Cycles(f.Graph())
	}
	s.classify()
	s.build()
	f.Renumber()
	st.Add("barriers", len(ends))
	st.Add("values kept across barriers", len(s.slots))
	return true
}

// barrier is a split: block before ends with the barrier, block after follows it.
type barrier struct{ before, after *kernel.Block }

// cut splits blocks at barriers and removes the barriers.
func cut(f *kernel.Func) []barrier {
	var out []barrier
	var blocks []*kernel.Block
	for _, b := range f.Blocks {
		blocks = append(blocks, b)
		for i := 0; i < len(b.Values); i++ {
			v := b.Values[i]
			if v.Op != kernel.Barrier {
				continue
			}
			after := &kernel.Block{Name: "after", Func: f, Kind: b.Kind, Cond: b.Cond, Cases: b.Cases, Edges: b.Edges, Pos: b.Pos}
			after.Values = append(after.Values, b.Values[i+1:]...)
			for _, x := range after.Values {
				x.Block = after
			}
			clear(b.Values[i:])
			b.Values = b.Values[:i]
			b.Pos = v.Pos
			b.Jump(after)
			f.Barriers = append(f.Barriers, v.Pos)
			out = append(out, barrier{b, after})
			blocks = append(blocks, after)
			b, i = after, -1
		}
	}
	f.Blocks = blocks
	for i, b := range f.Blocks {
		b.ID = i
	}
	return out
}

// placeComponents puts every Component right after its Load, so that only components live across
// barriers.
func placeComponents(f *kernel.Func) {
	parts := map[*kernel.Value][]*kernel.Value{}
	for _, b := range f.Blocks {
		kept := b.Values[:0]
		for _, v := range b.Values {
			if v.Op == kernel.Component {
				parts[v.Args[0]] = append(parts[v.Args[0]], v)
				continue
			}
			kept = append(kept, v)
		}
		clear(b.Values[len(kept):])
		b.Values = kept
	}
	if len(parts) == 0 {
		return
	}
	for _, b := range f.Blocks {
		var out []*kernel.Value
		for _, v := range b.Values {
			out = append(out, v)
			for _, c := range parts[v] {
				c.Block = b
				out = append(out, c)
			}
		}
		b.Values = out
	}
}

// liveness finds the values that are live after some barrier, and for each of them, by block ID,
// whether it is live where the block begins: used there or later, and defined before.
func liveness(f *kernel.Func, ends []barrier) map[*kernel.Value][]bool {
	after := make([]bool, len(f.Blocks))
	for _, c := range ends {
		after[c.after.ID] = true
	}
	preds := f.Graph().Preds
	users := make([][]*kernel.Block, f.NumValues()) // by value ID
	use := func(b *kernel.Block, v *kernel.Value) {
		if v == nil || v.Op == kernel.Const || v.Block == b {
			return
		}
		if u := users[v.ID]; len(u) == 0 || u[len(u)-1] != b {
			users[v.ID] = append(u, b)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				use(b, a)
			}
		}
		use(b, b.Cond)
		for _, e := range b.Edges {
			for _, a := range e.Args {
				use(b, a)
			}
		}
	}
	live := map[*kernel.Value][]bool{}
	in := make([]bool, len(f.Blocks))
	var reached []int
	// Uses are followed up to the definition.
	find := func(v *kernel.Value) {
		across := false
		reach := func(b int) {
			if !in[b] && b != v.Block.ID {
				in[b], across = true, across || after[b]
				reached = append(reached, b)
			}
		}
		for _, b := range users[v.ID] {
			reach(b.ID)
		}
		for i := 0; i < len(reached); i++ {
			for _, p := range preds[reached[i]] {
				reach(p)
			}
		}
		if across {
			live[v] = slices.Clone(in)
		}
		for _, b := range reached {
			in[b] = false
		}
		reached = reached[:0]
	}
	for _, b := range f.Blocks {
		for _, v := range b.Params {
			find(v)
		}
		for _, v := range b.Values {
			find(v)
		}
	}
	return live
}

func memType(t kernel.Type) kernel.Type {
	if t == alu.I1 {
		return alu.I8
	}
	return t
}
