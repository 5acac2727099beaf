package fuzz

import (
	"context"
	"errors"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
)

// Minimize returns a smaller case that also fails, and its error. It removes work-items,
// edges, operations and parameters, and keeps one width. An OpenCL C program becomes kernel
// IR.
func Minimize(ctx context.Context, c *Case, steps Steps) (*Case, error) {
	m := &minimizer{ctx: ctx, steps: steps}
	small := *c
	small.Source = ""
	m.best, m.err = &small, Check(ctx, &small, steps)
	if m.err == nil || errors.Is(m.err, ErrOracle) {
		return c, m.err
	}
	for _, w := range steps.Widths {
		one := steps
		one.Widths = []int{w}
		if err := Check(ctx, &small, one); failure(err) {
			m.steps, m.err = one, err
			break
		}
	}
	if m.steps.Raw {
		one := m.steps
		one.Raw, one.EveryPass = false, false
		if err := Check(ctx, &small, one); failure(err) {
			m.steps, m.err = one, err
		}
	}
	for changed := true; changed; {
		changed = m.lanes()
		changed = m.edges() || changed
		changed = m.operations() || changed
		changed = m.operands() || changed
		changed = m.tidy() || changed
	}
	return m.best, m.err
}

// failure filters out errors of the oracle.
func failure(err error) bool { return err != nil && !errors.Is(err, ErrOracle) }

type minimizer struct {
	ctx   context.Context
	steps Steps
	best  *Case
	err   error
}

// try keeps the result of edit if it still fails.
func (m *minimizer) try(edit func(c *Case, f *kernel.Func) bool) (kept bool) {
	defer func() {
		if recover() != nil {
			kept = false // the edit broke the IR
		}
	}()
	f, err := Clone(m.best.Kernel)
	if err != nil || m.ctx.Err() != nil {
		return false
	}
	next := *m.best
	next.Kernel = f
	if !edit(&next, f) {
		return false
	}
	opt.RemoveUnreachable(f, nil)
	if kernel.Verify(f) != nil {
		return false
	}
	if err := Check(m.ctx, &next, m.steps); failure(err) {
		m.best, m.err = &next, err
		return true
	}
	return false
}

func (m *minimizer) lanes() bool {
	changed := false
	for _, n := range []uint64{1, 2, 3, 4, 8, 12} {
		if m.best.Range.Dims == 1 && n < m.best.Range.Global[0] && m.try(func(c *Case, _ *kernel.Func) bool {
			c.Range.Global[0] = n
			return true
		}) {
			changed = true
			break
		}
	}
	if m.best.Range.Offset[0] > 0 {
		changed = m.try(func(c *Case, _ *kernel.Func) bool { c.Range.Offset[0] = 0; return true }) || changed
	}
	if m.best.Range.Local != [3]uint64{} {
		changed = m.try(func(c *Case, _ *kernel.Func) bool { c.Range = launch.Of(c.Range.Global[:c.Range.Dims]...); return true }) || changed
	}
	return changed
}

// edges turns branches into jumps and jumps into returns.
func (m *minimizer) edges() bool {
	changed := false
	for i := 0; i < len(m.best.Kernel.Blocks); i++ {
		for n := 0; i < len(m.best.Kernel.Blocks) && n < len(m.best.Kernel.Blocks[i].Edges); n++ {
			for _, how := range []int{0, 1} {
				if i >= len(m.best.Kernel.Blocks) || n >= len(m.best.Kernel.Blocks[i].Edges) {
					break
				}
				if m.try(func(_ *Case, f *kernel.Func) bool {
					b := f.Blocks[i]
					switch {
					case how == 0 && len(b.Edges) > 1:
						b.Jump(b.Edges[n].To, b.Edges[n].Args...)
					case how == 1 && b.Kind == kernel.Switch && n > 0:
						b.Edges = slices.Delete(b.Edges, n, n+1)
						b.Cases = slices.Delete(b.Cases, n-1, n)
					case how == 1 && b.Kind != kernel.Switch && n == 0:
						b.Return()
					default:
						return false
					}
					return true
				}) {
					changed = true
				}
			}
		}
	}
	return changed
}

// operations drops stores, and replaces results by zero.
func (m *minimizer) operations() bool {
	changed := false
	for i := len(m.best.Kernel.Blocks) - 1; i >= 0; i-- {
		for n := len(m.best.Kernel.Blocks[i].Values) - 1; n >= 0; n-- {
			changed = m.try(func(_ *Case, f *kernel.Func) bool {
				if i >= len(f.Blocks) || n >= len(f.Blocks[i].Values) {
					return false
				}
				b := f.Blocks[i]
				v := b.Values[n]
				if v.Type != alu.Void {
					if addresses(f)[v] || v.Type.IsPtr() || v.Op == kernel.Load && v.Count > 1 {
						if used(f, v) {
							return false
						}
					} else {
						replace(f, v, f.Const(v.Type, 0))
					}
				}
				b.Values = slices.Delete(b.Values, n, n+1)
				return true
			}) || changed
		}
	}
	return changed
}

// operands drops block parameters and replaces operations by one of their operands.
func (m *minimizer) operands() bool {
	changed := false
	for i := len(m.best.Kernel.Blocks) - 1; i >= 0; i-- {
		for n := len(m.best.Kernel.Blocks[i].Params) - 1; n >= 0; n-- {
			changed = m.try(func(_ *Case, f *kernel.Func) bool {
				b := f.Blocks[i]
				p := b.Params[n]
				if (addresses(f)[p] || p.Type.IsPtr()) && used(f, p) {
					return false
				}
				replace(f, p, f.Const(p.Type, 0))
				b.Params = slices.Delete(b.Params, n, n+1)
				for _, from := range f.Blocks {
					for k := range from.Edges {
						if e := &from.Edges[k]; e.To == b {
							e.Args = slices.Delete(e.Args, n, n+1)
						}
					}
				}
				f.Renumber()
				return true
			}) || changed
		}
		for n := len(m.best.Kernel.Blocks[i].Values) - 1; n >= 0; n-- {
			if n >= len(m.best.Kernel.Blocks[i].Values) {
				continue
			}
			v := m.best.Kernel.Blocks[i].Values[n]
			for k, a := range v.Args {
				if v.Type == alu.Void || a.Type != v.Type || a.Op == kernel.Const || a.Op == kernel.Load && a.Count > 1 || n >= len(m.best.Kernel.Blocks[i].Values) {
					continue
				}
				if m.try(func(_ *Case, f *kernel.Func) bool {
					v := f.Blocks[i].Values[n]
					if addresses(f)[v] {
						return false
					}
					replace(f, v, v.Args[k])
					f.Blocks[i].Values = slices.Delete(f.Blocks[i].Values, n, n+1)
					return true
				}) {
					changed = true
					break
				}
			}
		}
	}
	return changed
}

// tidy runs passes that make programs shorter.
func (m *minimizer) tidy() bool {
	changed := false
	for _, run := range []func(*kernel.Func, opt.Stats){opt.RemoveDead, opt.RemoveTrivialParams, opt.Fold, opt.SimplifyControl} {
		before := len(m.best.Kernel.String())
		changed = m.try(func(_ *Case, f *kernel.Func) bool {
			run(f, nil)
			return len(f.String()) < before
		}) || changed
	}
	return changed
}

// addresses finds the operands of addresses, including the masks that bound indices. Changing
// one could introduce a data race.
func addresses(f *kernel.Func) map[*kernel.Value]bool {
	found := map[*kernel.Value]bool{}
	var mark func(v *kernel.Value)
	mark = func(v *kernel.Value) {
		if v.Op == kernel.Const || found[v] {
			return
		}
		found[v] = true
		switch v.Op {
		case alu.And, alu.URem:
			if v.Args[1].Op == kernel.Const {
				return
			}
		case kernel.Load, kernel.Component, kernel.Atomic, kernel.CmpXchg:
			return
		case kernel.Param:
			for _, b := range f.Blocks {
				for _, e := range b.Edges {
					if e.To == v.Block {
						mark(e.Args[v.Index])
					}
				}
			}
		}
		for _, a := range v.Args {
			mark(a)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == kernel.Load || v.Op == kernel.Store || v.Op == kernel.Atomic || v.Op == kernel.CmpXchg {
				mark(v.Args[0])
			}
		}
	}
	return found
}

func used(f *kernel.Func, v *kernel.Value) bool {
	for _, b := range f.Blocks {
		for _, x := range b.Values {
			if slices.Contains(x.Args, v) {
				return true
			}
		}
		for _, e := range b.Edges {
			if slices.Contains(e.Args, v) {
				return true
			}
		}
		if b.Cond == v {
			return true
		}
	}
	return false
}

func replace(f *kernel.Func, v, by *kernel.Value) {
	for _, b := range f.Blocks {
		for _, x := range b.Values {
			for i := range x.Args {
				if x.Args[i] == v {
					x.Args[i] = by
				}
			}
		}
		for _, e := range b.Edges {
			for i := range e.Args {
				if e.Args[i] == v {
					e.Args[i] = by
				}
			}
		}
		if b.Cond == v {
			b.Cond = by
		}
	}
}
