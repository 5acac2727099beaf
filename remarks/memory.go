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

// memory tells of the accesses that are not contiguous.
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
	told := map[place]int{} // the size of elements
	c.eachOnce([]vir.Op{vir.Gather, vir.Scatter}, func(v *vir.Value) {
		access := c.accessOf(v, accesses[v.Pos])
		at := placeOf(v, v.Op == vir.Scatter)
		told[at] = max(told[at], v.Accessed().Elem.Size())
		switch {
		case v.Pos.IsValid() && tiled[at] > 0:
			c.alongRows(v, access, tiled[at])
		case v.Pos.IsValid() && shuffled[at]:
			c.strided(v, access)
		default:
			c.scattered(v, access)
		}
	})
	c.together(shuffled, told)
}

// atomics tells of atomic accesses that are one for each lane.
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
		d := c.add(Atomic, at, fmt.Sprintf(" of %d %s to %s, %s (a single one: %.2g): lanes take turns, one by one", t.Lanes, t.Elem, object, about(ns), one)).in(c.blockOf(v))
		d.ns = ns
		switch {
		case access == nil:
		case c.Info.Uniform(access.Args[0]):
			d.rest += ", at one place"
		default:
			d.rest += ", at places that differ"
			d.chain = c.whyAddress(access.Args[0])
			d.help = "where all lanes share the address of a sum, minimum or maximum, one access does for all"
		}
	})
}

// together tells of strided accesses between which others take what they leave, so
// that they are whole vectors with any mask. Code has their place or that of another
// which is accessed with them.
func (c *collector) together(shuffled map[place]bool, told map[place]int) {
	type group struct {
		root   *kernel.Value
		block  *kernel.Block
		stride int64
		store  bool
	}
	whole, partly := map[group]bool{}, map[group]bool{} // partly: with masks one gather is for several
	var members []*kernel.Value
	of := map[*kernel.Value]group{}
	wide := c.wider()
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
			if told[at] > 0 {
				partly[g] = partly[g] || told[at] > v.Accessed().Size()
				continue
			}
			of[v] = g
			members = append(members, v)
			whole[g] = whole[g] || shuffled[at] || wide[at] > v.Accessed().Size()
		}
	}
	for _, v := range members {
		g := of[v]
		if !whole[g] || partly[g] {
			continue
		}
		to, way := "from", "loaded and shuffled"
		if g.store {
			to, way = "to", "shuffled and stored"
		}
		c.add(Strided, c.valueAt(v), fmt.Sprintf(" of %d %s %s %s: neighbouring lanes are %s; what lies between is accessed, too, so that whole vectors are %s, with lanes missing or not",
			c.Vector.Width, v.Accessed(), to, quoted(c.object(v.Args[0]), "memory"), distance(g.stride), way)).in(g.block)
	}
}

// wider finds the sizes of the elements of which contiguous accesses are.
func (c *collector) wider() map[place]int {
	out := map[place]int{}
	for _, b := range c.Vector.Blocks {
		for _, v := range b.Values {
			if v.Op == vir.VLoad || v.Op == vir.VStore {
				at := placeOf(v, v.Op == vir.VStore)
				out[at] = max(out[at], v.Accessed().Elem.Size())
			}
		}
	}
	return out
}

// distance says how far neighbouring lanes are apart.
func distance(stride int64) string {
	if stride < 0 {
		return fmt.Sprintf("%d bytes apart, backwards", -stride)
	}
	return fmt.Sprintf("%d bytes apart", stride)
}

// place is where a load is, or a store. Those of one macro are all in one place, and are
// told apart by what the kernel has there.
type place struct {
	at     diag.Pos
	store  bool
	origin int
}

func placeOf(v *vir.Value, store bool) place { return place{v.Pos, store, v.Origin} }

// shuffled finds the accesses that code for when no lane is missing makes of
// whole vectors: lanes taken out of what is loaded, or put together to be stored.
// Of those made of rows, it finds how many elements of each are loaded at once.
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
				if a := v.Args[0]; a.Op == vir.Load && !a.Invariant { // where a row is
					tiled[placeOf(v, true)] = v.Args[1].Type.Lanes
				} else {
					whole[placeOf(v, true)] = true
				}
			}
		}
	}
	return whole, tiled
}

// alongRows tells of a gather or scatter that is one only in the rounds of its
// loop that a tile of n columns has no part in.
func (c *collector) alongRows(v *vir.Value, access *kernel.Value, n int) {
	t, to, way, alone := v.Accessed(), "from", "loaded and transposed", "gathered"
	if v.Op == vir.Scatter {
		to, way, alone = "to", "transposed and stored", "scattered"
	}
	at, object := c.where(v, access)
	c.add(Rows, at, fmt.Sprintf(" of %d %s %s %s: each lane goes along a row; %d elements of each of %d rows at a time are %s, in rounds left over elements are %s, %s",
		t.Lanes, t.Elem, to, object, n, n, way, alone, about(c.Costs.Operation(v.Op, t)))).in(c.blockOf(v))
}

// strided tells of a gather or scatter that is one only where lanes are missing.
func (c *collector) strided(v *vir.Value, access *kernel.Value) {
	t, to, way, alone := v.Accessed(), "from", "loaded and shuffled", "gathered"
	if v.Op == vir.Scatter {
		to, way, alone = "to", "shuffled and stored", "scattered"
	}
	at, object := c.where(v, access)
	step, _ := laneStep(v.Args[1])
	c.add(Strided, at, fmt.Sprintf(" of %d %s %s %s: neighbouring lanes are %s; whole vectors are %s where no lane is missing, else elements %s, %s",
		t.Lanes, t.Elem, to, object, distance(step*int64(max(v.Scale, 1))), way, alone, about(c.Costs.Operation(v.Op, t)))).in(c.blockOf(v))
}

// eachOnce calls f for the operations of the vector IR that are one of ops. Of those that
// exist several times, in code with and without masks or in rounds, it takes as many as the
// kernel has.
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

// madeFor is what the kernel has that v was made for, nil if that is not known.
func (c *collector) madeFor(v *vir.Value) *kernel.Value {
	if v.Origin == 0 {
		return nil
	}
	return c.Kernel.Value(v.Origin - 1)
}

// blockOf is the block of the kernel that has what v was made for, nil if that is not known.
func (c *collector) blockOf(v *vir.Value) *kernel.Block {
	if o := c.madeFor(v); o != nil {
		return o.Block
	}
	return nil
}

// accessOf picks the access of the kernel that v was made of, nil if there is
// none at its place.
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

// where returns where v is in the source and what it accesses.
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

// scattered tells of a gather or scatter.
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
		d.rest += ": which lane's a lane takes is only known at run time"
	case private && !c.interleaved(access):
		d.rest += ": every lane has a private frame of its own, as the object is not accessed with one element size alone"
		d.help = "accesses of one size, without casts or unions, let the lanes' elements lie side by side"
	case even && step == 0 && kind == Scatter:
		d.rest += ": all lanes write one place, and the last one wins"
		d.help = "let one work-item write, or give each a place of its own"
	case even && step == 0:
		d.rest += ": all lanes read one place"
	case even && step == -size:
		d.rest += ": neighbouring lanes go backwards"
		d.help = "an index that grows with the work-item's id makes it contiguous"
	case even:
		d.rest += ": neighbouring lanes are " + distance(step)
		if step%size == 0 {
			d.rest += fmt.Sprintf(" (%d elements)", max(step, -step)/size)
		}
		d.help = "it is contiguous if neighbouring work-items take neighbouring elements: a structure of arrays, or loops exchanged"
	default:
		c.irregular(d, access, private)
	}
	if word := c.Costs.Operation(v.Op, t.With(alu.I32)); d.help == "" && size < 4 && word < ns {
		d.help = fmt.Sprintf("elements of 32 bits take %.2g ns", word)
	}
}

// irregular says why the lanes' addresses have no fixed distance.
func (c *collector) irregular(d *draft, access *kernel.Value, private bool) {
	if access == nil {
		d.rest += ": the lanes' addresses have no fixed distance"
		return
	}
	address := access.Args[0]
	index := c.varyingOffset(address)
	d.chain = c.whyAddress(address)
	if m := c.scaledByUniform(address); m != nil {
		d.rest += fmt.Sprintf(": neighbouring lanes are apart by a number that is only known at run time (%s)", c.describe(m))
		d.help = "it is contiguous if neighbouring work-items take neighbouring elements: loops exchanged, or what is a row made a column"
		if row, column := c.dimensions(address); row != nil && column != nil {
			d.help = fmt.Sprintf("it is contiguous if %s selects the column: exchange the dimensions of the range", kernel.Describe(row))
		}
		return
	}
	switch {
	case private:
		d.rest += ": lanes index it differently"
		d.help = "an index that all lanes share makes it contiguous; one that is constant after unrolling needs no memory"
	case index != nil && index.Op == kernel.Load && c.keptFor(index) == nil:
		d.rest += fmt.Sprintf(": the index %s is loaded, another one for every lane", c.describe(index))
	case index != nil:
		d.rest += fmt.Sprintf(": the index %s differs irregularly between lanes", c.describe(index))
	case root(address).Op != kernel.Argument && !c.Info.Shape(root(address)).IsStrided():
		d.rest += fmt.Sprintf(": the pointer %s is another one for every lane", c.describe(root(address)))
	default:
		d.rest += ": the address differs irregularly between lanes"
	}
}

// interleaved reports whether the private object of an access has the lanes'
// elements side by side. Pointers that may point to several objects do not.
func (c *collector) interleaved(access *kernel.Value) bool {
	p := root(access.Args[0])
	for _, x := range c.Report.Private {
		if x.Object == p {
			return x.Interleaved
		}
	}
	return false
}

// root is what the offsets of an address are added to.
func root(p *kernel.Value) *kernel.Value {
	for p.Op == kernel.PtrAdd {
		p = p.Args[0]
	}
	return p
}

// offsets lists what is added to the root of an address, sums taken apart and
// extensions and scales looked through.
func (c *collector) offsets(p *kernel.Value) []*kernel.Value {
	var out []*kernel.Value
	var visit func(v *kernel.Value, depth int)
	visit = func(v *kernel.Value, depth int) {
		through := v.Args
		constant := func() bool { return v.Args[1].Op == kernel.Const }
		switch op := v.Op; {
		case v.Replaced(): // the reader does not know its operands
			through = nil
		case op == alu.SExt, op == alu.ZExt, op == alu.Trunc:
		case op == alu.Add, op == alu.Sub:
			if v.Name != "" && depth > 1 {
				through = nil // the reader knows it by that name
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

// varyingOffset is the part of an address that has no fixed distance between
// lanes, nil if none.
func (c *collector) varyingOffset(p *kernel.Value) *kernel.Value {
	for _, v := range c.offsets(p) {
		if !c.Info.Shape(v).IsStrided() {
			return v
		}
	}
	return nil
}

// whyAddress explains why an address varies: by its index, if that is to blame.
func (c *collector) whyAddress(p *kernel.Value) []Link {
	if index := c.varyingOffset(p); index != nil {
		return c.why(c.Info.Why(index))
	}
	return c.why(c.Info.Why(p))
}

// scaledByUniform finds a product of something strided and a number that all
// lanes share, in the address p.
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

// dimensions finds an id of the first dimension of the range that the address p is computed
// from, and one of another.
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
		case kernel.Load: // what it finds has no dimension
			continue
		}
		work = append(work, v.Args...)
		for _, a := range c.args[v] {
			work = append(work, a.value)
		}
	}
	return first, other
}

// laneStep returns by how much v grows from lane to lane, where that is plain.
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

// privates tells of the private objects that are in memory.
func (c *collector) privates() {
	if !c.wide() {
		return
	}
	first := map[*kernel.Value]*kernel.Value{} // the access that keeps the object from being contiguous, or any
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
				text += "; all lanes write the same, so that one copy serves them"
			}
			c.add(Private, at, text)
		case p.Shared:
			c.add(Private, c.valueAt(o), what+": all lanes write the same into it, so that one copy serves them")
		case !p.Interleaved:
			d := c.add(Private, c.valueAt(o), what+lanes+": accessed with several element sizes or through pointers, so that every lane has a frame of its own")
			d.help = "accesses of one size, without casts or unions, let the lanes' elements lie side by side"
		case access == nil:
		case c.Info.Uniform(access.Args[0]):
			c.add(Private, c.valueAt(o), what+lanes+": all lanes use one index, so that accesses are contiguous; the index is not a constant, so that no register will do")
		default:
			d := c.add(Private, c.valueAt(o), what+lanes+": lanes use different indices, so that accesses are gathers")
			d.chain = c.whyAddress(access.Args[0])
			d.chain = append([]Link{linkAt(c.valueAt(access), "indexed here")}, d.chain...)
			d.help = "an index that all lanes share makes accesses contiguous"
		}
	}
}

// barriers names those across which a value is kept.
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
