package pipeline

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
)

// A launch knows how often loops run whose bounds are arguments. Its plan assumes those arguments,
// rounded so that a kernel has few plans.

// argValues are values of arguments, as text: pairs of an offset in the argument block and a value.
type argValues string

// maxExact is the largest value that is not rounded.
const maxExact = 8

// valuesFor returns the rounded values of the arguments that bound loops; arguments with values that
// no loop runs to are left out.
//
// requires: the kernel is prepared
func (s *state) valuesFor(args []launch.Arg) argValues {
	s.boundsOnce.Do(func() { s.boundsLoops = loopBounds(s.raw) })
	var out []byte
	for _, i := range s.boundsLoops {
		p := s.raw.Args[i]
		if i >= len(args) || !args[i].Fits(p) {
			continue
		}
		var buf [8]byte
		copy(buf[:], args[i].Value)
		x := int64(binary.LittleEndian.Uint64(buf[:]))
		if shift := 64 - 8*p.Size; strings.HasPrefix(p.Elem, "u") {
			x = int64(uint64(x) << shift >> shift)
		} else {
			x = x << shift >> shift
		}
		if x < -maxExact {
			continue
		}
		if x > maxExact { // the nearest power of two, by the ratio
			n := bits.Len64(uint64(x)) - 1
			if x > 3<<n/2 {
				n++
			}
			x = 1 << min(n, 8*p.Size-2) // positive
		}
		out = strconv.AppendInt(append(strconv.AppendInt(out, int64(p.Offset), 10), ':'), x, 10)
		out = append(out, ' ')
	}
	return argValues(out)
}

// byOffset returns the values by offset in the argument block.
func (v argValues) byOffset() map[int]uint64 {
	out := map[int]uint64{}
	for _, pair := range strings.Fields(string(v)) {
		at, x, _ := strings.Cut(pair, ":")
		offset, _ := strconv.Atoi(at)
		value, _ := strconv.ParseInt(x, 10, 64)
		out[offset] = uint64(value)
	}
	return out
}

// withValues returns f with arguments replaced by their values.
func (v argValues) withValues(f *kernel.Func) *kernel.Func {
	if v == "" {
		return f
	}
	f = kernel.Clone(f)
	values := v.byOffset()
	known := func(vs []*kernel.Value) {
		for i, x := range vs {
			if x.Op != kernel.Argument {
				continue
			}
			if n, ok := values[f.Args[x.Index].Offset]; ok {
				vs[i] = f.Const(x.Type, n)
			}
		}
	}
	for _, b := range f.Blocks {
		for _, x := range b.Values {
			known(x.Args)
		}
		for _, e := range b.Edges {
			known(e.Args)
		}
	}
	f.Renumber()
	return f
}

// loopBounds lists the integer arguments that decide how often loops of f run. It leaves out those
// of loops that run from one argument to another: rounded, their distance would be wrong.
func loopBounds(f *kernel.Func) []int {
	var out, distances []int
	for _, c := range cfg.Cycles(f.Graph()).Cycles {
		var starts, limits argLeaves
		limits.header = f.Blocks[c.Header]
		for _, b := range c.Blocks {
			if x := f.Blocks[b]; x.Kind == kernel.Branch && slices.ContainsFunc(x.Edges, func(e kernel.Edge) bool { return !slices.Contains(c.Blocks, e.To.ID) }) {
				limits.collect(x.Cond)
			}
		}
		for i, p := range limits.header.Params { // counters: their first values and steps
			if !slices.Contains(limits.params, p) {
				continue
			}
			for _, b := range f.Blocks {
				for _, e := range b.Edges {
					switch {
					case e.To != limits.header:
					case slices.Contains(c.Blocks, b.ID):
						limits.collect(e.Args[i])
					default:
						starts.collect(e.Args[i])
					}
				}
			}
		}
		for _, i := range slices.Concat(starts.args, limits.args) {
			if len(starts.args) > 0 && len(limits.args) > 0 && slices.ContainsFunc(slices.Concat(starts.args, limits.args), func(k int) bool { return k != i }) {
				distances = append(distances, i)
			} else {
				out = append(out, i)
			}
		}
	}
	out = slices.DeleteFunc(out, func(i int) bool { return slices.Contains(distances, i) })
	slices.Sort(out)
	return slices.Compact(out)
}

// argLeaves are the arguments and the parameters of a loop's header that expressions depend on.
type argLeaves struct {
	header  *kernel.Block
	args    []int
	params  []*kernel.Value
	visited []*kernel.Value
}

// collect adds the leaves of v.
func (l *argLeaves) collect(v *kernel.Value) {
	const limit = 64 // values visited
	if len(l.visited) == limit || slices.Contains(l.visited, v) {
		return
	}
	l.visited = append(l.visited, v)
	switch {
	case v.Op == kernel.Argument:
		if v.Type.IsInt() {
			l.args = append(l.args, v.Index)
		}
	case v.Op == kernel.Param:
		if v.Block == l.header {
			l.params = append(l.params, v)
		}
	case v.Op.Pure():
		for _, a := range v.Args {
			l.collect(a)
		}
	}
}
