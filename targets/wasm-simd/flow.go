package wasmsimd

import (
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// at sets the source position of the instructions emitted next.
func (s *selector) at(p diag.Pos) { s.b.Line = uint32(s.c.opt.Places.Number(p)) }

// function emits the whole function in the order of the layout.
func (s *selector) function(l *layout) {
	s.lay = l
	s.prologue()
	var open []scope
	for p := 0; p <= len(l.order); p++ {
		for len(open) > 0 && open[len(open)-1].end == p {
			if !open[len(open)-1].loop {
				s.dropBranchToNext()
			}
			s.b.End()
			open = open[:len(open)-1]
		}
		if p == len(l.order) {
			break
		}
		for _, sc := range l.open[p] {
			open = append(open, sc)
			if sc.loop {
				s.labels[p] = s.b.Loop(wasm.BlockVoid)
				s.poll(s.loopAt(sc))
			} else {
				s.labels[sc.end] = s.b.Block(wasm.BlockVoid)
			}
		}
		s.node(p)
		if s.err != nil {
			return
		}
	}
	// Control never gets here: every path returns or loops.
	s.b.Line = 0
	s.b.Op(wasm.Unreachable)
}

// dropBranchToNext removes a branch to the end of the block that ends here.
func (s *selector) dropBranchToNext() {
	body := s.b.F.Body
	if n := len(body) - 1; n >= 0 && body[n].Op == wasm.Br && body[n].Imm == 0 {
		s.b.F.Body = body[:n]
	}
}

// prologue allocates the locals of block parameters and loads the fuel, if loops count.
func (s *selector) prologue() {
	for _, b := range s.f.Blocks {
		for _, p := range b.Params {
			s.crossing[p.ID] = true
			s.def(p)
		}
	}
	for i, n := range s.lay.nodes {
		if n.entries != nil {
			s.entryLocal[i] = s.b.Local(wasm.I32, "entry")
		}
	}
	for _, sc := range s.lay.open {
		for _, c := range sc {
			if c.loop && !s.pollsEveryIteration() {
				s.fuel = s.b.Local(wasm.I32, "fuel")
				s.refuel()
				return
			}
		}
	}
}

func (s *selector) refuel() {
	s.b.Get(0)
	s.b.Mem(wasm.I32Load, vir.CtxFuel, 2)
	s.b.Set(s.fuel)
}

// pollsEveryIteration reports whether every iteration loads the stop flag: in scalar code,
// which has few other loads, that is cheaper than counting iterations.
func (s *selector) pollsEveryIteration() bool {
	return s.c.opt.Shared && !s.c.opt.Yield && s.f.Width == 1
}

// loopAt returns the source position of a loop: its own, or that of its first operation
// with a position.
func (s *selector) loopAt(sc scope) diag.Pos {
	for _, n := range s.lay.order[sc.start:sc.end] {
		b := s.lay.nodes[n].block
		if b == nil {
			continue
		}
		if b.At.IsValid() {
			return b.At
		}
		for _, v := range b.Values {
			if v.Pos.IsValid() {
				return v.Pos
			}
		}
		if b.Pos.IsValid() {
			return b.Pos
		}
	}
	return diag.Pos{}
}

// poll emits the check at the head of every loop: each time, or when the fuel has run out,
// it tests whether the host has requested to stop. at is the position of the loop.
func (s *selector) poll(at diag.Pos) {
	if s.pollsEveryIteration() {
		s.returnIfStopped(at)
		return
	}
	s.b.Get(s.fuel)
	s.b.I32(1)
	s.b.Op(wasm.I32Sub)
	s.b.Tee(s.fuel)
	s.b.Op(wasm.I32Eqz)
	s.b.If(wasm.BlockVoid)
	if s.c.opt.Yield {
		s.b.Call(0)
	}
	s.returnIfStopped(at)
	s.refuel()
	s.b.End()
}

// returnIfStopped ends the run at a position if the host has requested it. It loads only
// one byte of shared memory, because engines check the alignment of wider atomic loads.
func (s *selector) returnIfStopped(at diag.Pos) {
	s.b.Get(0)
	if s.c.opt.Shared {
		s.b.Mem(wasm.I32AtomicLoad8U, vir.CtxStop, 0)
	} else {
		s.b.Mem(wasm.I32Load, vir.CtxStop, 2)
	}
	s.b.If(wasm.BlockVoid)
	s.finish(vir.StatusStopped + int64(s.c.opt.Places.Number(at)))
	s.b.End()
}

// finish returns with a status.
func (s *selector) finish(status int64) {
	s.b.Get(0)
	s.b.I64(status)
	s.b.Mem(wasm.I64Store, vir.CtxStatus, 3)
	s.b.Op(wasm.Return)
}

func (s *selector) node(p int) {
	n := &s.lay.nodes[s.lay.order[p]]
	switch {
	case n.edge != nil:
		s.takeEdge(p, *n.edge, n.succs[0], true)
		return
	case n.block == nil:
		s.dispatch(s.lay.order[p], n)
		return
	}
	for _, v := range n.block.Values {
		if n.table != nil && v == n.block.Cond && s.usesLeft[v.ID] == 1 && !s.crossing[v.ID] {
			continue // the table reads the subject
		}
		s.at(v.Pos)
		s.value(v)
		if s.err != nil {
			return
		}
		s.release(v)
	}
	s.at(n.block.Pos)
	s.terminator(p, n)
	s.forgetResized()
	for _, v := range n.block.Values {
		if !s.crossing[v.ID] && s.vals[v.ID] != nil {
			s.give(s.vals[v.ID])
			s.vals[v.ID] = nil
		}
	}
	for i := len(s.temps) - 1; i >= 0; i-- {
		s.give(s.temps[i : i+1])
	}
	s.temps = s.temps[:0]
}

// dispatch branches to the entry that the local names. If the path to the entry contains
// another dispatcher, it sets that one first.
func (s *selector) dispatch(id int, n *node) {
	s.b.Line = 0
	for i, t := range n.succs {
		if len(t.entries) > 0 {
			s.b.Get(s.entryLocal[id])
			s.b.I32(int32(i))
			s.b.Op(wasm.I32Eq)
			s.b.If(wasm.BlockVoid)
			s.setEntries(t)
			s.b.Br(s.labels[s.lay.pos[t.node]])
			s.b.End()
		}
	}
	s.b.Get(s.entryLocal[id])
	var ls []wasm.Label
	for _, t := range n.succs {
		ls = append(ls, s.labels[s.lay.pos[t.node]])
	}
	s.b.BrTable(ls[:len(ls)-1], ls[len(ls)-1])
}

func (s *selector) terminator(p int, n *node) {
	b := n.block
	if n.table != nil {
		s.jumpByTable(n)
		return
	}
	switch b.Kind {
	case vir.Return:
		s.finish(0)
	case vir.Jump:
		s.takeEdge(p, b.Edges[0], n.succs[0], true)
	case vir.Branch:
		last := s.lay.lastEdge(p)
		first := 1 - last
		s.push(s.get(b.Cond)[0])
		if first == 1 {
			s.b.Op(wasm.I32Eqz)
		}
		if e, t := b.Edges[first], n.succs[first]; len(t.entries) == 0 && !s.copies(e) {
			s.b.BrIf(s.labels[s.lay.pos[t.node]])
		} else {
			s.b.If(wasm.BlockVoid)
			s.takeEdge(p, e, t, false)
			s.b.End()
		}
		s.takeEdge(p, b.Edges[last], n.succs[last], true)
	default:
		s.b.Op(wasm.Unreachable)
	}
}

// copies reports whether an edge has to copy arguments to parameters.
func (s *selector) copies(e vir.Edge) bool {
	for i, a := range e.Args {
		if a != e.To.Params[i] {
			return true
		}
	}
	return false
}

// takeEdge passes the arguments of an edge and branches to its target. All arguments are
// pushed before the first parameter is written, because they may be parameters of the same
// block.
func (s *selector) takeEdge(p int, e vir.Edge, t target, last bool) {
	var dst []reg
	for i, a := range e.Args {
		param := e.To.Params[i]
		if a == param {
			continue
		}
		switch {
		case s.low[param.ID]:
			s.push(s.lowOf(a))
		case s.laneZero[param.ID]:
			s.push(s.inLaneZero(a))
		default:
			s.push(s.get(a)...)
		}
		dst = append(dst, s.vals[param.ID]...)
	}
	for i := len(dst) - 1; i >= 0; i-- {
		s.b.Set(dst[i].local)
	}
	s.setEntries(t)
	to := s.lay.pos[t.node]
	if last && to == p+1 {
		return
	}
	s.b.Br(s.labels[to])
}

// setEntries sets the dispatchers on the path to a target.
func (s *selector) setEntries(t target) {
	for _, c := range t.entries {
		s.b.I32(int32(c.entry))
		s.b.Set(s.entryLocal[c.dispatcher])
	}
}
