// Package interior versions code with boundary handling: work-items away from the
// boundaries of an image or array run a copy without it.
//
//	... = in[clamp(i+1, 0, n-1)]       if (all lanes: 0 <= i+1 && i+1 <= n-1)
//	                                       ... = in[i+1]
//	                                   else
//	                                       ... = in[clamp(i+1, 0, n-1)]
//
// Indices that are clamped, wrapped around by a remainder, or chosen by a condition vary
// irregularly, though nearly everywhere neighbouring lanes access neighbouring elements: in
// the copy a gather becomes a contiguous load. Image compilers version loops likewise
// (Ragan-Kelley et al., Halide, PLDI 2013, on clamped accesses), as does range-check
// elimination; here one branch decides for all lanes. Quotients and remainders of ids that
// count along rows have boundaries at the ends of rows (see rows).
package interior

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Limits that bound the compile time of kernels with many boundaries.
const (
	maxDuplicated = 600 // operations per region or loop, approximately
	maxRegions    = 100
	maxNested     = 8 // depth of boundaries within boundaries
	maxRows       = 50
)

// Split returns a version of f in which regions with accesses that are strided away from
// boundaries have a copy without the boundaries. It returns f if there are none. shapes
// analyzes a kernel for that many lanes; info is its result for f.
// requires: a prepared kernel; maintains: f; the result is prepared
func Split(f *kernel.Func, info *divergence.Info, lanes int, shapes func(*kernel.Func) *divergence.Info, st opt.Stats) *kernel.Func {
	a := find(f, info, lanes, shapes)
	if len(a.borders) == 0 {
		return f
	}
	var parts []*part
	for _, b := range a.f.Blocks {
		if p := a.part(b); p != nil && len(parts) < maxRegions {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return f
	}
	made := kernel.Clone(a.f)
	a.rows.to(made)
	placed := map[*kernel.Block][]*kernel.Block{}
	replaced := opt.NewReplacer(made)
	for _, p := range parts {
		p.split(made, a)
		p.splitBySides(made, a, replaced, st)
		placed[made.Blocks[p.block.ID]] = slices.Concat([]*kernel.Block{p.inner}, p.border, []*kernel.Block{p.rest})
		made.Note(p.strided[0].Pos, "interior", p.note(&a.rows))
		st.Add("interiors", 1)
		st.Add("accesses in interiors", len(p.strided))
	}
	replaced.Apply(made)
	made.Blocks = made.Blocks[:len(f.Blocks)]
	for i := len(made.Blocks) - 1; i >= 0; i-- {
		made.Blocks = slices.Insert(made.Blocks, i+1, placed[made.Blocks[i]]...)
	}
	pass(made, parts, replaced)
	a.rows.undo(made)
	made.Renumber()
	opt.RemoveUnreachable(made, nil)
	opt.RemoveDead(made, nil)
	made.Renumber()
	unswitch(made, st)
	for _, pass := range opt.Resize {
		pass.Run(made, nil)
	}
	sink(made)
	return made
}

// border is an operation with a boundary. Away from it, the operation returns one of its
// operands, or a term of an operand that is a sum.
type border struct {
	operand int
	term    int // index of the term in the sum; -1: the whole operand
	holds   []condition
}

// inner returns the value of v away from the boundary.
func (x border) inner(v *kernel.Value) *kernel.Value {
	v = v.Args[x.operand]
	if x.term >= 0 {
		v = v.Args[x.term]
	}
	return v
}

// condition is the comparison x op y, which holds away from a boundary. x and y are values
// of the analyzed kernel. A nil x stands for 0. A nil y makes x itself the condition if op
// is alu.Ne, and its negation if op is alu.Eq.
type condition struct {
	op   kernel.Op
	x, y *kernel.Value
}

// find lists the boundaries of f, or of a clone with choices for rows.
func find(f *kernel.Func, info *divergence.Info, lanes int, shapes func(*kernel.Func) *divergence.Info) *accesses {
	a := &accesses{f: f, borders: map[int]border{}, before: info, reaches: map[*kernel.Value]bool{}}
	a.rows = newRows(lanes)
	flat, strided := f, info
	for range maxNested {
		more := map[int]border{}
		for _, b := range flat.Blocks {
			for _, v := range b.Values {
				if _, known := a.borders[v.ID]; known {
					continue
				}
				if x, ok := borderOf(v, strided); ok && (x.term < 0 || a.f.Value(v.ID).Args[0].ID == v.Args[0].ID) {
					more[v.ID] = x
				}
			}
		}
		found := a.rows.find(a.f, flat, strided)
		if len(found) > 0 && a.f == f {
			a.f = kernel.Clone(f)
		}
		for id, x := range more {
			a.borders[id] = x
		}
		for id, x := range a.borders {
			a.borders[id] = x.in(a.f)
		}
		for _, d := range slices.Backward(found) {
			if _, is := a.borders[d.v.ID]; !is {
				choice, x := a.rows.choose(a.f, d)
				more[choice.ID], a.borders[choice.ID] = x, x
			}
		}
		if len(more) == 0 {
			break
		}
		flat = kernel.Clone(a.f)
		flatten(flat, a.borders)
		strided = shapes(flat)
	}
	if a.strided = strided; a.f != f {
		a.before = shapes(a.f)
	}
	return a
}

// in replaces values of a clone by those of f.
func (x border) in(f *kernel.Func) border {
	for i := range x.holds {
		for _, v := range x.holds[i].values() {
			*v = f.Value((*v).ID)
		}
	}
	return x
}

// values returns the operands that are not nil.
func (h *condition) values() []**kernel.Value {
	return slices.DeleteFunc([]**kernel.Value{&h.x, &h.y}, func(v **kernel.Value) bool { return *v == nil })
}

// flatten makes operations use the inner operands of boundaries. Arguments of edges stay
// unchanged.
func flatten(f *kernel.Func, borders map[int]border) {
	inner := func(v *kernel.Value) *kernel.Value {
		for {
			x, ok := borders[v.ID]
			if !ok {
				return v
			}
			v = x.inner(v)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if _, ok := borders[v.ID]; ok {
				continue // its operands define the boundary
			}
			for i, x := range v.Args {
				v.Args[i] = inner(x)
			}
		}
	}
}

// bounded gives the comparison that holds where a minimum or maximum returns its first
// operand.
var bounded = map[kernel.Op]struct {
	op   kernel.Op
	swap bool
}{
	alu.SMin: {alu.Sle, false}, alu.SMax: {alu.Sle, true}, alu.UMin: {alu.Ule, false}, alu.UMax: {alu.Ule, true},
}

// borderOf returns the boundary of v, if it has one.
func borderOf(v *kernel.Value, info *divergence.Info) (border, bool) {
	strided := func(x *kernel.Value) bool { s := info.Shape(x); return s.IsStrided() && !s.IsUniform() }
	if !v.Type.IsInt() || v.Type == alu.I1 || info.Shape(v).IsStrided() {
		return border{}, false
	}
	found := func(operand, term int) (border, bool) { return border{operand, term, holdsOf(v, operand, term)}, true }
	switch v.Op {
	case alu.SMin, alu.SMax, alu.UMin, alu.UMax:
		for i, x := range v.Args {
			if strided(x) && info.Uniform(v.Args[1-i]) {
				return found(i, -1)
			}
		}
	case alu.URem, alu.SRem:
		x, y := v.Args[0], v.Args[1]
		if x.Op != alu.Add || !strided(x) || !info.Uniform(y) {
			break // rows end too often unless x is a sum
		}
		for i := range x.Args {
			if x.Args[1-i] == y {
				return found(0, i)
			}
		}
		return found(0, -1)
	case alu.Select:
		for i := 1; i <= 2; i++ {
			if strided(v.Args[i]) && info.Uniform(v.Args[3-i]) {
				return found(i, -1)
			}
		}
	}
	return border{}, false
}

// holdsOf lists the conditions under which v returns an operand, or a term of it.
func holdsOf(v *kernel.Value, operand, term int) []condition {
	x := v.Args[operand]
	switch v.Op {
	case alu.Select:
		return conditions(v.Args[0], operand == 1, nil)
	case alu.URem, alu.SRem:
		y, unwrapped := v.Args[1], condition{alu.Ule, v.Args[1], x}
		var holds []condition
		if v.Op == alu.SRem {
			holds = []condition{{op: alu.Slt, y: y}}
			unwrapped = condition{op: alu.Slt, y: x}
		}
		if term < 0 {
			return append(holds, condition{alu.Ult, x, y})
		}
		return append(holds, condition{alu.Ult, x.Args[term], y}, unwrapped)
	}
	y, row := v.Args[1-operand], bounded[v.Op]
	if row.swap {
		x, y = y, x
	}
	return []condition{{row.op, x, y}}
}

// conditions appends to list the conjuncts of the condition that c equals want.
func conditions(c *kernel.Value, want bool, list []condition) []condition {
	switch {
	case c.Op == alu.And && want || c.Op == alu.Or && !want:
		return conditions(c.Args[1], want, conditions(c.Args[0], want, list))
	case c.Op == alu.Xor && c.Args[1].Op == kernel.Const:
		return conditions(c.Args[0], want != (c.Args[1].Const != 0), list)
	case alu.Exchanged[c.Op] != 0 && want:
		return append(list, condition{c.Op, c.Args[0], c.Args[1]})
	case alu.Exchanged[c.Op] != 0:
		return append(list, condition{alu.Exchanged[c.Op], c.Args[1], c.Args[0]})
	case c.Op == alu.Ne && want || c.Op == alu.Eq && !want:
		return append(list, condition{alu.Ne, c.Args[0], c.Args[1]})
	case c.Op == alu.Eq && want || c.Op == alu.Ne && !want:
		return append(list, condition{alu.Eq, c.Args[0], c.Args[1]})
	case want:
		return append(list, condition{op: alu.Ne, x: c})
	}
	return append(list, condition{op: alu.Eq, x: c})
}

// accesses finds the accesses that profit.
type accesses struct {
	f       *kernel.Func
	borders map[int]border
	before  *divergence.Info
	strided *divergence.Info // of the kernel without boundaries
	rows    rows
	reaches map[*kernel.Value]bool
	dom     *cfg.DomTree
}

// bordered reports whether v depends on a boundary through pure operations.
func (a *accesses) bordered(v *kernel.Value) bool {
	if is, ok := a.reaches[v]; ok {
		return is
	}
	_, is := a.borders[v.ID]
	a.reaches[v] = is
	if !is && pure(v) {
		is = slices.ContainsFunc(v.Args, a.bordered)
		a.reaches[v] = is
	}
	return is
}

// pure reports whether v may be duplicated and moved.
func pure(v *kernel.Value) bool {
	return v.Op != kernel.Param && v.Op != kernel.Component && v.Op != kernel.Alloca && kernel.InfoOf(v.Op).Effect == kernel.Pure
}

// profits reports whether v is an access that is irregular only because of boundaries.
func (a *accesses) profits(v *kernel.Value) bool {
	if v.Op != kernel.Load && v.Op != kernel.Store || !a.bordered(v.Args[0]) {
		return false
	}
	if kind, _ := a.before.Access(v); kind != divergence.AccessVarying {
		return false
	}
	kind, stride := a.strided.Access(a.strided.Func.Value(v.ID))
	size := int64(v.Accessed().Size() * max(v.Count, 1))
	return kind == divergence.AccessContiguous || kind == divergence.AccessUniform ||
		kind == divergence.AccessStrided && -4*size <= stride && stride <= 4*size
}

// part is a region to version: a range of the operations of a block.
type part struct {
	block    *kernel.Block
	from, to int
	strided  []*kernel.Value // accesses that profit
	holds    []condition

	inner, rest *kernel.Block                   // in the clone, after split
	border      []*kernel.Block                 // in the clone: entered at the first, left for rest from the last
	made        map[*kernel.Value]*kernel.Value // value of the part -> its copy in inner
}

// part returns the region of a block that is worth versioning, or nil.
func (a *accesses) part(b *kernel.Block) *part {
	p := &part{block: b, from: -1}
	place := map[*kernel.Value]int{}
	for i, v := range b.Values {
		place[v] = i
		if p.from >= 0 && (i >= p.from+maxDuplicated || mustNotDuplicate(v)) {
			break
		}
		if !a.profits(v) {
			continue
		}
		from := p.from
		if from < 0 {
			from = i
		}
		list, ok := a.holds(v.Args[0], p.holds, func(x *kernel.Value) bool { return a.available(x, b, place, from) })
		if !ok {
			continue
		}
		p.from, p.to, p.holds = from, i+1, list
		p.strided = append(p.strided, v)
	}
	if p.from < 0 {
		return nil
	}
	// Components must stay in the block of their load.
	for i := p.to; i < len(b.Values); i++ {
		if v := b.Values[i]; v.Op == kernel.Component {
			if load, ok := place[v.Args[0]]; ok && p.in(load) {
				p.to = i + 1
			}
		}
	}
	if slices.ContainsFunc(b.Values[p.from:p.to], mustNotDuplicate) {
		return nil
	}
	return p
}

// mustNotDuplicate reports whether v must not be duplicated.
func mustNotDuplicate(v *kernel.Value) bool {
	return kernel.Convergent(v.Op) || v.Op == kernel.Barrier || v.Op == kernel.Alloca
}

func (p *part) in(i int) bool { return p.from <= i && i < p.to }

// holds appends the conditions of all boundaries that v depends on.
func (a *accesses) holds(v *kernel.Value, list []condition, available func(*kernel.Value) bool) ([]condition, bool) {
	seen := map[*kernel.Value]bool{}
	list = slices.Clone(list)
	var visit func(v *kernel.Value) bool
	visit = func(v *kernel.Value) bool {
		if seen[v] || !a.bordered(v) {
			return true
		}
		seen[v] = true
		x, ok := a.borders[v.ID]
		if !ok {
			return !slices.ContainsFunc(v.Args, func(x *kernel.Value) bool { return !visit(x) })
		}
		for _, h := range x.holds {
			for _, v := range h.values() {
				if !available(*v) || !visit(*v) {
					return false
				}
			}
			if !slices.Contains(list, h) {
				list = append(list, h)
			}
		}
		return visit(x.inner(v))
	}
	ok := visit(v)
	return list, ok
}

// available reports whether v, or its value without boundaries, can be computed before
// index from in b.
func (a *accesses) available(v *kernel.Value, b *kernel.Block, place map[*kernel.Value]int, from int) bool {
	if v.Block == nil {
		return true
	}
	if a.bordered(v) {
		if x, ok := a.borders[v.ID]; ok {
			return a.available(x.inner(v), b, place, from)
		}
		return !slices.ContainsFunc(v.Args, func(x *kernel.Value) bool { return !a.available(x, b, place, from) })
	}
	if v.Block != b {
		if a.dom == nil {
			a.dom = cfg.Dominators(a.f.Graph())
		}
		return a.dom.Dominates(v.Block.ID, b.ID)
	}
	if i, ok := place[v]; v.Op == kernel.Param || ok && i < from {
		return true
	}
	return pure(v) && !slices.ContainsFunc(v.Args, func(x *kernel.Value) bool { return !a.available(x, b, place, from) })
}

// note returns the text of the remark about the region; r holds the rows of the kernel.
func (p *part) note(r *rows) string {
	some := "an access is"
	if n := len(p.strided); n > 1 {
		some = fmt.Sprintf("%d accesses are", n)
	}
	where := "inside"
	if slices.ContainsFunc(p.holds, func(h condition) bool { return r.same[h.x] }) {
		where += " and in the row of the first lane"
	}
	sides := ""
	if len(p.border) > 1 {
		sides = "; loads of lanes at borders are split by side"
	}
	return some + " strided there; a branch tests whether all lanes are " + where + sides
}
