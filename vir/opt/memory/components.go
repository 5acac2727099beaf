package memory

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Components computes on vectors in memory order what is computed equally for each of their
// components: superword-level parallelism across the lanes' elements. Accesses to arrays of structs
// are contiguous loads with shuffles for each component, and shuffles to contiguous stores. If the
// operations in between are the same for all components, they are done on vectors in memory order
// without shuffles.
//
//	x = shuffle p, q lanes 0 2 4 6     v = add p, 1
//	y = shuffle p, q lanes 1 3 5 7     w = add q, 1
//	u = add x, 1                       vstore v
//	v = add y, 1                       vstore w
//	vstore shuffle(u, v) lanes 0 4 1 5
//	vstore shuffle(u, v) lanes 2 6 3 7
//
// Each lane of a stored vector is traced to its origin. Operands that are not in memory order are
// shuffled. All stores that depend on common values change together, if shuffles and operations
// become fewer.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Components(f *vir.Func, stats edit.Stats) {
	to := map[*vir.Value]*vir.Value{}
	var uses [][]analysis.Use
	for _, b := range f.Blocks {
		roots := shuffledStores(b)
		if len(roots) == 0 {
			continue
		}
		if uses == nil {
			uses = analysis.UsesOf(f)
		}
		c := &components{f: f, block: b, uses: uses, packed: map[string]*vir.Value{}}
		for _, r := range roots {
			c.pack(r)
		}
		taken := c.best(c.clusters(roots))
		for _, r := range taken {
			to[r.value] = r.packed
		}
		if len(taken) > 0 {
			stats.Add("components merged", len(taken))
			c.insert(taken)
		}
	}
	if len(to) == 0 {
		return
	}
	edit.ReplaceAll(f, to)
	f.Renumber()
	edit.Dead(f, stats)
}

// root is a vector that is shuffled to be stored, and its replacement.
type root struct {
	value    *vir.Value
	inactive uint64 // lanes that no store uses, of the first 64
	packed   *vir.Value
	made     []*vir.Value // new operations, except those that earlier roots need as well
	needs    []*vir.Value // new operations, of any root
	origins  []*vir.Value // values that its lanes are copied from
}

// shuffledStores lists the vectors that b shuffles and stores, in the order of the shuffles.
func shuffledStores(b *vir.Block) (all []*root) {
	for _, v := range b.Values {
		if v.Op != vir.VStore {
			continue
		}
		x := v.Args[1]
		if x.Op == alu.Bitcast {
			x = x.Args[0]
		}
		if x.Op != vir.Shuffle || x.Block != b {
			continue
		}
		if i := slices.IndexFunc(all, func(r *root) bool { return r.value == x }); i >= 0 {
			all[i].inactive &= inactiveLanes(v.Args[2])
		} else {
			all = append(all, &root{value: x, inactive: inactiveLanes(v.Args[2])})
		}
	}
	slices.SortFunc(all, func(r, s *root) int { return cmp.Compare(r.value.ID, s.value.ID) })
	return all
}

// inactiveLanes returns lanes that are never active in a mask, of the first 64.
func inactiveLanes(mask *vir.Value) (set uint64) {
	switch {
	case mask.Op == vir.Unbits && mask.Args[0].Op == vir.Const:
		return ^mask.Args[0].Const
	case mask.Op == alu.Ne && analysis.IsConst(mask.Args[1], 0):
		for l := range mask.Type.Lanes {
			if o := originOf(mask.Args[0], l); analysis.IsConst(o.of, 0) {
				set |= 1 << l
			}
		}
	}
	return set
}

// origin is a lane of a value that is no copy of other lanes. In a lane whose contents do not matter
// of is nil.
type origin struct {
	of   *vir.Value
	lane int
}

// originOf traces a lane of v through operations that only move lanes.
func originOf(v *vir.Value, lane int) origin {
	for {
		switch v.Op {
		case vir.Shuffle:
			n := v.Args[0].Type.Lanes
			at := v.Lanes[lane]
			v, lane = v.Args[at/n], at%n
		case vir.Concat:
			n := v.Args[0].Type.Lanes
			v, lane = v.Args[lane/n], lane%n
		case vir.Part:
			v, lane = v.Args[0], v.Index*v.Type.Lanes+lane
		default:
			return origin{v, lane}
		}
	}
}

// components packs the lanes of the vectors that a block stores.
type components struct {
	f      *vir.Func
	block  *vir.Block
	uses   [][]analysis.Use
	root   *root
	packed map[string]*vir.Value // by the origins of lanes; nil: not worth it
}

// maxPacked bounds the new operations for one root.
const maxPacked = 64

// pack computes the replacement of a root.
func (c *components) pack(r *root) {
	c.root = r
	lanes := make([]origin, r.value.Type.Lanes)
	for l := range lanes {
		if r.inactive>>l&1 != 0 {
			continue
		}
		lanes[l] = originOf(r.value, l)
		if of := lanes[l].of; of.Op != vir.Const && !slices.Contains(r.origins, of) {
			r.origins = append(r.origins, of)
		}
	}
	if len(r.origins) == 0 {
		return
	}
	if r.packed = c.vector(lanes); r.packed == nil || len(r.made) > maxPacked {
		r.packed = nil
		c.drop(0)
	}
}

// vector returns a vector of the given lanes, nil if that is not possible.
func (c *components) vector(lanes []origin) *vir.Value {
	key := make([]byte, 0, 8*len(lanes))
	for i, o := range lanes {
		if o.of == nil {
			key = binary.AppendVarint(key, -1)
			continue
		}
		lanes[i] = originOf(o.of, o.lane)
		key = binary.AppendVarint(key, int64(lanes[i].of.ID))
		key = binary.AppendVarint(key, int64(lanes[i].lane))
	}
	x, ok := c.packed[string(key)]
	if !ok {
		x = c.newVector(lanes)
		c.packed[string(key)] = x
	}
	if x != nil && x.ID >= len(c.uses) && !slices.Contains(c.root.needs, x) {
		c.root.needs = append(c.root.needs, x)
	}
	return x
}

// some returns a lane whose contents matter.
func some(lanes []origin) *vir.Value {
	i := slices.IndexFunc(lanes, func(o origin) bool { return o.of != nil })
	return lanes[i].of
}

// alike reports whether f holds for all values of lanes.
func alike(lanes []origin, f func(x *vir.Value) bool) bool {
	return !slices.ContainsFunc(lanes, func(o origin) bool { return o.of != nil && !f(o.of) })
}

func (c *components) newVector(lanes []origin) *vir.Value {
	first := some(lanes)
	t := vir.Type{Elem: first.Type.Elem, Lanes: len(lanes)}
	switch {
	case alike(lanes, func(x *vir.Value) bool { return x.Op == vir.Const && x.Const == first.Const }):
		return c.f.Const(t, first.Const)
	case alike(lanes, func(x *vir.Value) bool { return x.Op == vir.Splat && x.Args[0] == first.Args[0] }):
		return c.make(vir.Splat, t, first.Args[0])
	}
	if x := c.inPlace(lanes, t); x != nil {
		return x
	}
	if c.equalOperations(lanes) {
		n := len(c.root.made)
		if x := c.operation(lanes); x != nil {
			return x
		}
		c.drop(n)
	}
	return c.shuffle(lanes, t)
}

// drop removes the new operations of the root from number n on.
func (c *components) drop(n int) {
	maps.DeleteFunc(c.packed, func(_ string, x *vir.Value) bool { return slices.Contains(c.root.made[n:], x) })
	c.root.made = c.root.made[:n]
}

// inPlace returns the lanes if they are a whole vector, or part of one, or several.
func (c *components) inPlace(lanes []origin, t vir.Type) *vir.Value {
	i := slices.IndexFunc(lanes, func(o origin) bool { return o.of != nil })
	of := lanes[i].of
	n := min(of.Type.Lanes, len(lanes))
	if len(lanes)%n != 0 {
		return nil
	}
	var parts []*vir.Value
	for ; len(lanes) > 0; lanes = lanes[n:] {
		i := slices.IndexFunc(lanes[:n], func(o origin) bool { return o.of != nil })
		if i < 0 {
			if len(parts) == 0 {
				return nil
			}
			parts = append(parts, parts[0]) // any will do
			continue
		}
		of, start := lanes[i].of, lanes[i].lane-i
		if start < 0 || start%n != 0 || of.Type.Lanes%n != 0 || of.Type.Elem != t.Elem {
			return nil
		}
		for l, o := range lanes[:n] {
			if o.of != nil && (o.of != of || o.lane != start+l) {
				return nil
			}
		}
		if of.Type.Lanes > n {
			part := c.make(vir.Part, vir.Type{Elem: t.Elem, Lanes: n}, of)
			part.Index = start / n
			of = part
		}
		parts = append(parts, of)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return c.make(vir.Concat, t, parts...)
}

// equalOperations reports whether all lanes are those of equal operations in the block.
func (c *components) equalOperations(lanes []origin) bool {
	first := some(lanes)
	return alu.InfoOf(first.Op).Class != alu.NotPure && alike(lanes, func(x *vir.Value) bool {
		return x.Op == first.Op && x.Type == first.Type && x.Block == c.block && len(x.Args) == len(first.Args)
	})
}

// operation makes the operation of lanes, which are those of equal operations.
func (c *components) operation(lanes []origin) *vir.Value {
	first := some(lanes)
	args := make([]*vir.Value, len(first.Args))
	for k := range args {
		a := first.Args[k]
		if !alike(lanes, func(x *vir.Value) bool { return x.Args[k].Type == a.Type }) {
			return nil
		}
		if a.Type.IsScalar() { // a uniform condition
			if !alike(lanes, func(x *vir.Value) bool { return x.Args[k] == a }) {
				return nil
			}
			args[k] = a
			continue
		}
		operands := slices.Clone(lanes)
		for i, o := range operands {
			if o.of != nil {
				operands[i].of = o.of.Args[k]
			}
		}
		if args[k] = c.vector(operands); args[k] == nil {
			return nil
		}
	}
	return c.make(first.Op, vir.Type{Elem: first.Type.Elem, Lanes: len(lanes)}, args...)
}

// shuffle makes the lanes of several values.
func (c *components) shuffle(lanes []origin, t vir.Type) *vir.Value {
	first := some(lanes)
	if t.Elem == alu.I1 || !alike(lanes, func(x *vir.Value) bool { return x.Type == first.Type }) {
		return nil
	}
	var from []*vir.Value
	index := make([]int, len(lanes))
	for l, o := range lanes {
		if o.of == nil {
			if l > 0 {
				index[l] = index[l-1]
			}
			continue
		}
		i := slices.Index(from, o.of)
		if i < 0 {
			i = len(from)
			from = append(from, o.of)
		}
		index[l] = i*first.Type.Lanes + o.lane
	}
	all := from[0]
	if n := len(from); n > 1 {
		for len(from)&(len(from)-1) != 0 {
			from = append(from, from[0])
		}
		all = c.make(vir.Concat, vir.Type{Elem: t.Elem, Lanes: len(from) * first.Type.Lanes}, from...)
	}
	x := c.make(vir.Shuffle, t, all, all)
	x.Lanes = index
	return x
}

func (c *components) make(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	x := c.block.NewValue(op, t, args...)
	x.Pos, x.Origin = c.root.value.Pos, c.root.value.Origin
	c.root.made = append(c.root.made, x)
	return x
}

// clusters partitions the roots that have a replacement: those that have lanes of the same values, or
// share new operations, are in one part.
func (c *components) clusters(roots []*root) (all [][]*root) {
	for _, r := range roots {
		if r.packed == nil {
			continue
		}
		group := []*root{r}
		all = slices.DeleteFunc(all, func(g []*root) bool {
			joins := slices.ContainsFunc(g, func(s *root) bool {
				return slices.ContainsFunc(r.origins, func(v *vir.Value) bool { return slices.Contains(s.origins, v) }) ||
					slices.ContainsFunc(r.needs, func(v *vir.Value) bool { return slices.Contains(s.made, v) })
			})
			if joins {
				group = append(g, group...)
			}
			return joins
		})
		all = append(all, group)
	}
	return all
}

// best returns the roots of the clusters whose replacement saves operations. Clusters may share values that
// die only if all of them are replaced, so it starts with all, and leaves out those without a benefit.
func (c *components) best(clusters [][]*root) []*root {
	all := slices.Concat(clusters...)
	saved := c.savings(all)
	for _, g := range clusters {
		others := slices.DeleteFunc(slices.Clone(all), func(r *root) bool { return slices.Contains(g, r) })
		if n := c.savings(others); n >= saved {
			all, saved = others, n
		}
	}
	return all
}

// savings returns the cost that the replacement of roots saves.
func (c *components) savings(group []*root) int {
	left := map[*vir.Value]int{} // uses that remain
	use := func(vs []*vir.Value, n int) {
		for _, v := range vs {
			if _, ok := left[v]; !ok && v.ID < len(c.uses) {
				left[v] = len(c.uses[v.ID])
			}
			left[v] += n
		}
	}
	saved := 0
	var dead []*vir.Value
	for _, r := range group {
		dead = append(dead, r.value)
		for _, x := range r.made {
			saved -= c.cost(x)
			use(x.Args, 1)
		}
	}
	for len(dead) > 0 {
		v := dead[len(dead)-1]
		dead = dead[:len(dead)-1]
		saved += c.cost(v)
		use(v.Args, -1)
		for i, a := range v.Args {
			if left[a] == 0 && vir.InfoOf(a.Op).Effect == vir.Pure && a.Op != vir.Param && a.Block == c.block && !slices.Contains(v.Args[:i], a) {
				dead = append(dead, a)
			}
		}
	}
	return saved
}

// cost estimates the cost of an operation in bits of the vectors involved.
func (c *components) cost(v *vir.Value) int {
	switch {
	case v.Op == vir.Const || v.Op == vir.Concat || v.Op == vir.Part || v.Op == alu.Bitcast:
		return 0
	case v.Op == vir.Splat && v.Args[0].Block != c.block:
		return 0 // it is hoisted
	case v.Op == vir.Shuffle:
		sources := map[*vir.Value]bool{}
		outside := true
		for l := range v.Lanes {
			n := v.Args[0].Type.Lanes
			x, at := v.Args[v.Lanes[l]/n], v.Lanes[l]%n
			if x.Op == vir.Concat {
				x = x.Args[at/x.Args[0].Type.Lanes]
			}
			sources[x] = true
			outside = outside && x.Block != c.block
		}
		if outside {
			return 0 // it is hoisted, or computed from constants
		}
		return v.Type.Bits() * max(len(sources)-1, 1)
	}
	bits := v.Type.Bits()
	for _, a := range v.Args {
		bits = max(bits, a.Type.Bits())
	}
	return bits
}

// insert adds the new operations of roots, each before the first root that needs it.
func (c *components) insert(roots []*root) {
	edit.InsertBefore(c.block, func(v *vir.Value) []*vir.Value {
		if i := slices.IndexFunc(roots, func(r *root) bool { return r.value == v }); i >= 0 {
			return roots[i].made
		}
		return nil
	})
}
