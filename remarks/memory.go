package remarks

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// memory reports the accesses that are not contiguous.
func (c *collector) memory() {
	if !c.wide() {
		return
	}
	accesses := map[diag.Pos][]*kernel.Value{}
	for _, b := range c.Kernel.Blocks {
		for _, v := range b.Values {
			if v.Op == kernel.Load || v.Op == kernel.Store {
				accesses[v.Pos] = append(accesses[v.Pos], v)
			}
			if v.Op == kernel.Load && c.Info.Uniform(v) && !c.stateOfGroup(v) && c.Kernel.KeptIn(v.Args[0]) == nil {
				c.add(Broadcast, c.valueAt(v), fmt.Sprintf(" of %s: one for all lanes", quoted(c.object(v.Args[0]), "memory"))).in(b)
			}
		}
	}
	shuffled, tiled := c.shuffled()
	sizes := map[place]int{} // the size of elements
	c.eachOnce([]vir.Op{vir.Gather, vir.Scatter}, func(v *vir.Value) {
		access := c.accessOf(v, accesses[v.Pos])
		at := placeOf(v, v.Op == vir.Scatter)
		sizes[at] = max(sizes[at], v.Accessed().Elem.Size())
		switch {
		case v.Pos.IsValid() && tiled[at] > 0:
			c.alongRows(v, access, tiled[at])
		case v.Pos.IsValid() && shuffled[at]:
			c.strided(v, access)
		default:
			c.scattered(v, access)
		}
	})
	c.together(shuffled, sizes)
}

// atomics reports the atomic accesses that run once per lane.
func (c *collector) atomics() {
	if !c.wide() {
		return
	}
	c.eachOnce([]vir.Op{vir.VAtomic, vir.VCmpXchg}, func(v *vir.Value) {
		var access *kernel.Value
		if o := c.madeFor(v); o != nil && (o.Op == kernel.Atomic || o.Op == kernel.CmpXchg) {
			access = o
		}
		at, object := c.where(v, access)
		t := v.Type
		if access != nil && root(access.Args[0]).Op == kernel.GroupState {
			return
		}
		ns, one := c.Costs.Operation(v.Op, t), c.Costs.Operation(vir.Atomic, vir.Scalar(t.Elem))
		d := c.add(Atomic, at, fmt.Sprintf(" of %d %s to %s, %s (scalar atomic: %.2g): lanes are serialized", t.Lanes, t.Elem, object, about(ns), one)).in(c.blockOf(v))
		d.ns = ns
		switch {
		case access == nil:
		case c.Info.Uniform(access.Args[0]):
			d.rest += ", at one address"
		default:
			d.rest += ", at different addresses"
			d.chain = c.whyAddress(access.Args[0])
			d.help = "if all lanes share the address of a sum, minimum or maximum, one access serves them all"
		}
	})
}

// together reports strided accesses that use whole vectors under any mask. The code has the
// position of one of the accesses that share the vectors.
func (c *collector) together(shuffled map[place]bool, sizes map[place]int) {
	type group struct {
		root   *kernel.Value
		block  *kernel.Block
		stride int64
		store  bool
	}
	whole, partly := map[group]bool{}, map[group]bool{} // partly: with masks one gather is for several
	var members []*kernel.Value
	of := map[*kernel.Value]group{}
	wide := c.contiguous()
	for _, b := range c.Kernel.Blocks {
		for _, v := range b.Values {
			at := place{v.Pos, v.Op == kernel.Store, v.ID + 1}
			if v.Op != kernel.Load && v.Op != kernel.Store {
				continue
			}
			kind, stride := c.Info.Access(v)
			if kind != divergence.AccessStrided {
				continue
			}
			g := group{root(v.Args[0]), b, stride, at.store}
			if sizes[at] > 0 {
				partly[g] = partly[g] || sizes[at] > v.Accessed().Size()
				continue
			}
			of[v] = g
			members = append(members, v)
			whole[g] = whole[g] || shuffled[at] || wide[at]
		}
	}
	for _, v := range members {
		g := of[v]
		if !whole[g] || partly[g] {
			continue
		}
		to, how := "from", "loaded"
		if g.store {
			to, how = "to", "stored"
		}
		c.add(Strided, c.valueAt(v), fmt.Sprintf(" of %d %s %s %s: neighbouring lanes are %s; whole vectors are %s under any mask",
			c.Vector.Width, v.Accessed(), to, quoted(c.object(v.Args[0]), "memory"), distance(g.stride), how)).in(g.block)
	}
}

// contiguous finds the places of contiguous accesses.
func (c *collector) contiguous() map[place]bool {
	out := map[place]bool{}
	for _, b := range c.Vector.Blocks {
		for _, v := range b.Values {
			if v.Op == vir.VLoad || v.Op == vir.VStore {
				out[placeOf(v, v.Op == vir.VStore)] = true
			}
		}
	}
	return out
}

// distance describes the distance between neighbouring lanes.
func distance(stride int64) string {
	if stride < 0 {
		return fmt.Sprintf("%d bytes apart, backwards", -stride)
	}
	return fmt.Sprintf("%d bytes apart", stride)
}

// place identifies loads or stores. All accesses of one macro have one position, and differ
// by origin.
type place struct {
	at     diag.Pos
	store  bool
	origin int
}

func placeOf(v *vir.Value, store bool) place { return place{v.Pos, store, v.Origin} }

// shuffled finds the accesses that use whole vectors where all lanes are active: lanes are
// extracted from loaded vectors, or merged before a store. For accesses along rows, it
// finds the number of elements that are loaded at once.
func (c *collector) shuffled() (whole map[place]bool, tiled map[place]int) {
	whole, tiled = map[place]bool{}, map[place]int{}
	for _, b := range c.Vector.Blocks {
		for _, v := range b.Values {
			switch x := v; {
			case v.Op == vir.Shuffle:
				if x = v.Args[0]; x.Op == vir.Concat {
					x = x.Args[0]
				}
				if x.Op != vir.VLoad {
					continue
				}
				if y := v.Args[1]; y.Op == vir.VLoad && y.Args[0] != x.Args[0] {
					tiled[placeOf(v, false)] = v.Type.Lanes
				} else {
					whole[placeOf(v, false)] = true
				}
			case v.Op == vir.VStore && v.Args[1].Op == vir.Shuffle:
				if a := v.Args[0]; a.Op == vir.Load && !a.Invariant { // the address of a row
					tiled[placeOf(v, true)] = v.Args[1].Type.Lanes
				} else {
					whole[placeOf(v, true)] = true
				}
			}
		}
	}
	return whole, tiled
}

// alongRows reports a gather or scatter that is used only in the iterations left over by
// tiles of n columns.
func (c *collector) alongRows(v *vir.Value, access *kernel.Value, n int) {
	t, to, how, alone := v.Accessed(), "from", "loaded and transposed", "gathered"
	if v.Op == vir.Scatter {
		to, how, alone = "to", "transposed and stored", "scattered"
	}
	at, object := c.where(v, access)
	c.add(Rows, at, fmt.Sprintf(" of %d %s %s %s: each lane walks along its own row; tiles of %d elements of %d rows are %s, in remaining iterations elements are %s, %s",
		t.Lanes, t.Elem, to, object, n, n, how, alone, about(c.Costs.Operation(v.Op, t)))).in(c.blockOf(v))
}

// strided reports a gather or scatter that is used only where some lanes are inactive.
func (c *collector) strided(v *vir.Value, access *kernel.Value) {
	t, to, how, alone := v.Accessed(), "from", "loaded and shuffled", "gathered"
	if v.Op == vir.Scatter {
		to, how, alone = "to", "shuffled and stored", "scattered"
	}
	at, object := c.where(v, access)
	step, _ := laneStep(v.Args[1])
	c.add(Strided, at, fmt.Sprintf(" of %d %s %s %s: neighbouring lanes are %s; whole vectors are %s where all lanes are active, otherwise elements are %s, %s",
		t.Lanes, t.Elem, to, object, distance(step*int64(max(v.Scale, 1))), how, alone, about(c.Costs.Operation(v.Op, t)))).in(c.blockOf(v))
}

// eachOnce calls f for the operations of the vector IR that are one of ops. Operations that
// were duplicated, for code with and without masks or for iterations, are visited as often
// as the kernel has them.
func (c *collector) eachOnce(ops []vir.Op, f func(v *vir.Value)) {
	type key struct {
		at     diag.Pos
		origin int
		op     vir.Op
		elem   alu.Type
	}
	inKernel := map[diag.Pos]int{}
	for _, b := range c.Kernel.Blocks {
		for _, v := range b.Values {
			if v.Op == kernel.Load || v.Op == kernel.Store || slices.Contains(ops, v.Op) {
				inKernel[v.Pos]++
			}
		}
	}
	seen, parts := map[key]int{}, map[key][]int64{}
	for _, b := range c.Vector.Blocks {
		for _, v := range b.Values {
			if !slices.Contains(ops, v.Op) || v.Type.IsScalar() && v.Op != vir.Scatter {
				continue
			}
			k := key{v.Pos, v.Origin, v.Op, v.Type.Elem}
			if o := c.madeFor(v); o != nil {
				if slices.Contains(parts[k], v.Disp) || len(parts[k]) >= max(o.Count, 1) {
					continue
				}
				parts[k] = append(parts[k], v.Disp)
			} else if seen[k]++; len(c.Report.Copies) > 0 && seen[k] > max(inKernel[v.Pos], 1) {
				continue
			}
			f(v)
		}
	}
}

// madeFor is the value of the kernel that v was made for, nil if unknown.
func (c *collector) madeFor(v *vir.Value) *kernel.Value {
	if v.Origin == 0 {
		return nil
	}
	return c.Kernel.Value(v.Origin - 1)
}

// blockOf is the block of the value that v was made for, nil if unknown.
func (c *collector) blockOf(v *vir.Value) *kernel.Block {
	if o := c.madeFor(v); o != nil {
		return o.Block
	}
	return nil
}

// accessOf returns the access of the kernel that v was made from, nil if there is none at its
// position.
func (c *collector) accessOf(v *vir.Value, at []*kernel.Value) *kernel.Value {
	is := kernel.Load
	if v.Op == vir.Scatter {
		is = kernel.Store
	}
	if o := c.madeFor(v); o != nil && o.Op == is {
		return o
	} else if o != nil && o.Op == kernel.Shuffle {
		return nil
	}
	var found *kernel.Value
	for _, x := range at {
		if x.Op == is && (found == nil || c.Info.Uniform(found.Args[0])) {
			found = x
		}
	}
	return found
}

// where returns the source position of v and the object it accesses.
func (c *collector) where(v *vir.Value, access *kernel.Value) (at diag.Pos, object string) {
	at, object = v.Pos, "memory"
	if access != nil {
		object = quoted(c.object(access.Args[0]), object)
		if !at.IsValid() {
			at = c.valueAt(access)
		}
	}
	if !at.IsValid() {
		at = c.start
	}
	return at, object
}

// scattered reports a gather or scatter.
func (c *collector) scattered(v *vir.Value, access *kernel.Value) {
	kind, t, contiguous, to := Gather, v.Type, vir.VLoad, "from"
	if v.Op == vir.Scatter {
		kind, t, contiguous, to = Scatter, v.Args[2].Type, vir.VStore, "to"
	}
	at, object := c.where(v, access)
	of := c.madeFor(v)
	exchange := of != nil && of.Op == kernel.Shuffle
	if exchange {
		object = "the values of other lanes"
	}
	private := access != nil && access.Args[0].Type == alu.PtrPrivate
	ns := c.Costs.Operation(v.Op, t)
	price := fmt.Sprintf(" of %d %s %s %s, %s (contiguous: %.2g)", t.Lanes, t.Elem, to, object, about(ns), c.Costs.Operation(contiguous, t))
	d := c.add(kind, at, price).in(c.blockOf(v))
	d.ns = ns
	size := int64(t.Elem.Size())
	step, even := laneStep(v.Args[1])
	step *= int64(max(v.Scale, 1))
	switch {
	case exchange:
		d.rest += ": the source lane is only known at run time"
	case private && !c.interleaved(access):
		d.rest += ": each lane has its own private frame, as the object is accessed with several element sizes or through pointers"
		d.help = "accesses of one size, without casts or unions, let the lanes' elements be interleaved"
	case even && step == 0 && kind == Scatter:
		d.rest += ": all lanes write one address, and the last one wins"
		d.help = "let one work-item write, or give each its own element"
	case even && step == 0:
		d.rest += ": all lanes read one address"
	case even && step == -size:
		d.rest += ": addresses decrease from lane to lane"
		d.help = "an index that grows with the work-item's id makes it contiguous"
	case even:
		d.rest += ": neighbouring lanes are " + distance(step)
		if step%size == 0 {
			d.rest += fmt.Sprintf(" (%d elements)", max(step, -step)/size)
		}
		d.help = "it is contiguous if neighbouring work-items access neighbouring elements: use a structure of arrays, or interchange loops"
	default:
		c.irregular(d, access, private)
	}
	if word := c.Costs.Operation(v.Op, t.With(alu.I32)); d.help == "" && size < 4 && word < ns {
		d.help = fmt.Sprintf("elements of 32 bits take %.2g ns", word)
	}
}

// irregular describes why the lanes' addresses have no fixed distance.
func (c *collector) irregular(d *draft, access *kernel.Value, private bool) {
	if access == nil {
		d.rest += ": the lanes' addresses have no fixed distance"
		return
	}
	address := access.Args[0]
	index := c.varyingOffset(address)
	d.chain = c.whyAddress(address)
	if m := c.scaledByUniform(address); m != nil {
		d.rest += fmt.Sprintf(": the distance between neighbouring lanes is only known at run time (%s)", c.describe(m))
		d.help = "it is contiguous if neighbouring work-items access neighbouring elements: interchange loops, or transpose the array"
		if row, column := c.dimensions(address); row != nil && column != nil {
			d.help = fmt.Sprintf("it is contiguous if %s selects the column: exchange the dimensions of the range", kernel.Describe(row))
		}
		return
	}
	switch {
	case private:
		d.rest += ": lanes use different indices"
		d.help = "a uniform index makes it contiguous; an index that is constant after unrolling needs no memory"
	case index != nil && index.Op == kernel.Load && c.keptFor(index) == nil:
		d.rest += fmt.Sprintf(": the index %s is loaded and differs between lanes", c.describe(index))
	case index != nil:
		d.rest += fmt.Sprintf(": the index %s differs irregularly between lanes", c.describe(index))
	case root(address).Op != kernel.Argument && !c.Info.Shape(root(address)).IsStrided():
		d.rest += fmt.Sprintf(": the pointer %s differs between lanes", c.describe(root(address)))
	default:
		d.rest += ": the address differs irregularly between lanes"
	}
}

// interleaved reports whether the private object of an access interleaves the lanes'
// elements. False if the pointer may point to several objects.
func (c *collector) interleaved(access *kernel.Value) bool {
	p := root(access.Args[0])
	for _, x := range c.Report.Private {
		if x.Object == p {
			return x.Interleaved
		}
	}
	return false
}

// root is the base that the offsets of an address are added to.
func root(p *kernel.Value) *kernel.Value {
	for p.Op == kernel.PtrAdd {
		p = p.Args[0]
	}
	return p
}

// offsets lists the terms added to the root of an address, without extensions and constant
// scales.
func (c *collector) offsets(p *kernel.Value) []*kernel.Value {
	var out []*kernel.Value
	var visit func(v *kernel.Value, depth int)
	visit = func(v *kernel.Value, depth int) {
		through := v.Args
		constant := func() bool { return v.Args[1].Op == kernel.Const }
		switch op := v.Op; {
		case v.Replaced(): // its operands are not in the source
			through = nil
		case op == alu.SExt, op == alu.ZExt, op == alu.Trunc:
		case op == alu.Add, op == alu.Sub:
			if v.Name != "" && depth > 1 {
				through = nil // the source has this name
			}
		case (op == alu.Shl || op == alu.Mul) && constant():
			through = v.Args[:1]
		default:
			through = nil
		}
		if len(through) == 0 || depth > 8 {
			out = append(out, v)
			return
		}
		for _, a := range through {
			visit(a, depth+1)
		}
	}
	for p.Op == kernel.PtrAdd {
		visit(p.Args[1], 0)
		p = p.Args[0]
	}
	return out
}

// varyingOffset is a term of an address that has no fixed distance between lanes, nil if
// there is none.
func (c *collector) varyingOffset(p *kernel.Value) *kernel.Value {
	for _, v := range c.offsets(p) {
		if !c.Info.Shape(v).IsStrided() {
			return v
		}
	}
	return nil
}

// whyAddress explains why an address varies, by its index if that varies.
func (c *collector) whyAddress(p *kernel.Value) []Link {
	if index := c.varyingOffset(p); index != nil {
		return c.why(c.Info.Why(index))
	}
	return c.why(c.Info.Why(p))
}

// scaledByUniform finds a product of a strided and a uniform value in the address p, and
// returns the uniform factor.
func (c *collector) scaledByUniform(p *kernel.Value) *kernel.Value {
	for _, v := range c.offsets(p) {
		if v.Op != alu.Mul || v.Args[0].Op == kernel.Const || v.Args[1].Op == kernel.Const {
			continue
		}
		a, b := c.Info.Shape(v.Args[0]), c.Info.Shape(v.Args[1])
		if a.IsUniform() && b.IsStrided() && !b.IsUniform() {
			return v.Args[0]
		}
		if b.IsUniform() && a.IsStrided() && !a.IsUniform() {
			return v.Args[1]
		}
	}
	return nil
}

// dimensions finds an id of dimension 0 that the address p is computed from, and one of
// another dimension.
func (c *collector) dimensions(p *kernel.Value) (first, other *kernel.Value) {
	seen := map[*kernel.Value]bool{}
	for work := []*kernel.Value{p}; len(work) > 0; {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[v] {
			continue
		}
		seen[v] = true
		switch v.Op {
		case kernel.GlobalID, kernel.LocalID:
			if v.Index == 0 {
				first = v
			} else {
				other = v
			}
		case kernel.Load: // a loaded value has no dimension
			continue
		}
		work = append(work, v.Args...)
		for _, a := range c.args[v] {
			work = append(work, a.value)
		}
	}
	return first, other
}

// laneStep returns the difference of v between neighbouring lanes, if it is apparent.
func laneStep(v *vir.Value) (step int64, ok bool) {
	switch v.Op {
	case vir.Const, vir.Splat:
		return 0, true
	case vir.Iota:
		return 1, true
	case alu.SExt, alu.ZExt, alu.Trunc:
		return laneStep(v.Args[0])
	case alu.Add, alu.Sub, alu.Mul, alu.Shl:
		a, ok := laneStep(v.Args[0])
		b, also := laneStep(v.Args[1])
		if !ok || !also {
			return 0, false
		}
		by := int64(int32(v.Args[1].Const))
		switch {
		case v.Op == alu.Add:
			return a + b, true
		case v.Op == alu.Sub:
			return a - b, true
		case v.Args[1].Op != vir.Const:
			return 0, a == 0 && b == 0
		case v.Op == alu.Mul:
			return a * by, true
		}
		return a << (by & 31), true
	}
	return 0, false
}

// privates reports the private objects that stay in memory.
func (c *collector) privates() {
	if !c.wide() {
		return
	}
	first := map[*kernel.Value]*kernel.Value{} // an access that prevents contiguity, or any access
	for _, b := range c.Kernel.Blocks {
		for _, v := range b.Values {
			if v.Op != kernel.Load && v.Op != kernel.Store {
				continue
			}
			p := root(v.Args[0])
			if p.Op == kernel.Alloca && (first[p] == nil || c.Info.Shape(first[p].Args[0]).IsUniform() && !c.Info.Shape(v.Args[0]).IsUniform()) {
				first[p] = v
			}
		}
	}
	inFrames := 0
	for _, p := range c.Report.Private {
		if !p.Interleaved && !p.Shared {
			inFrames++
		}
	}
	for _, p := range c.Report.Private {
		o := p.Object
		size := o.Size - o.Count
		what := fmt.Sprintf(" %s in memory, %s", quoted(o.Name, "(unnamed)"), diag.Count(size, "byte"))
		if c.Kernel.KeptIn(o) != nil && o.Name == "" {
			what = fmt.Sprintf(" for a value without a name, %s", diag.Count(size, "byte"))
		}
		lanes := ""
		switch w := c.Vector.Width; {
		case p.Shared:
		case p.Taken == size*w:
			lanes = fmt.Sprintf(" (%d for %d lanes)", p.Taken, w)
		case !p.Interleaved && inFrames > 1:
			lanes = fmt.Sprintf(" (%d objects take %d for %d lanes)", inFrames, p.Taken, w)
		default:
			lanes = fmt.Sprintf(" (%d taken for %d lanes)", p.Taken, w)
		}
		access := first[o]
		switch k := c.Kernel.KeptIn(o); {
		case k != nil && len(k.Barriers) == 0: // the source has no such object
		case k != nil:
			at := k.Pos
			if !at.IsValid() {
				at = c.start
			}
			text := what + lanes + ": kept across " + c.barriers(k, at)
			if p.Shared {
				text += "; all lanes write the same values, so one copy serves them"
			}
			c.add(Private, at, text)
		case p.Shared:
			c.add(Private, c.valueAt(o), what+": all lanes write the same values, so one copy serves them")
		case !p.Interleaved:
			d := c.add(Private, c.valueAt(o), what+lanes+": accessed with several element sizes or through pointers, so each lane has its own frame")
			d.help = "accesses of one size, without casts or unions, let the lanes' elements be interleaved"
		case access == nil:
		case c.Info.Uniform(access.Args[0]):
			c.add(Private, c.valueAt(o), what+lanes+": the index is uniform, so accesses are contiguous; it is not a constant, so the object cannot be kept in registers")
		default:
			d := c.add(Private, c.valueAt(o), what+lanes+": lanes use different indices, so accesses are gathers")
			d.chain = c.whyAddress(access.Args[0])
			d.chain = append([]Link{linkAt(c.valueAt(access), "indexed here")}, d.chain...)
			d.help = "a uniform index makes accesses contiguous"
		}
	}
}

// barriers names the barriers across which a value is kept.
func (c *collector) barriers(k *kernel.Kept, at diag.Pos) string {
	var lines []string
	for _, p := range k.Barriers {
		if l := p.LineIn(at.File); !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
	}
	if len(lines) == 1 {
		return "the barrier of " + lines[0]
	}
	return "the barriers of " + named(lines)
}
