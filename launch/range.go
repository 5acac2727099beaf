// Package launch runs a compiled kernel over an NDRange. It lays out the arguments,
// splits the range into runs of work-items along dimension 0, and distributes them to
// workers on all cores. An Executor runs them: native code, a WebAssembly engine, or an
// interpreter.
//
// It must be free of knowledge of how kernels are compiled.
package launch

import (
	"fmt"

	"github.com/simtc/simtc/kernel"
)

// Range is an NDRange (OpenCL 1.2 §3.2): Global work-items in work-groups of Local, with
// ids that start at Offset.
type Range struct {
	Dims   int // 1 to 3
	Global [3]uint64
	Local  [3]uint64 // 0: chosen by Resolve
	Offset [3]uint64
}

// Of returns a range with the given global sizes, one per dimension.
func Of(global ...uint64) Range {
	r := Range{Dims: len(global)}
	copy(r.Global[:], global)
	return r
}

// WithLocal returns r with work-groups of the given size. Where the size does not divide
// the range, the last group of the dimension is smaller. A group has at most MaxGroup
// work-items. It must not have more dimensions than the range.
func (r Range) WithLocal(local ...uint64) Range {
	r.Local = [3]uint64{}
	copy(r.Local[:], local)
	return r.atLeast(len(local))
}

// WithOffset returns r with ids that start at the given offset.
func (r Range) WithOffset(offset ...uint64) Range {
	r.Offset = [3]uint64{}
	copy(r.Offset[:], offset)
	return r.atLeast(len(offset))
}

// atLeast returns r, or a range that Resolve rejects if dims exceeds the maximum.
func (r Range) atLeast(dims int) Range {
	if dims > len(r.Global) {
		r.Dims = max(r.Dims, dims)
	}
	return r
}

// MaxRange bounds the work-items of a range, MaxGroup those of a work-group. At a
// nanosecond per work-item, MaxRange keeps a core busy for three days.
const (
	MaxRange = 1 << 48
	MaxGroup = 1 << 16
)

// Empty reports whether a dimension of r has no work-items. A launch over an empty range
// checks its arguments and does nothing (OpenCL 3.0, clEnqueueNDRangeKernel).
func (r Range) Empty() bool {
	for d := range min(r.Dims, 3) {
		if r.Global[d] == 0 {
			return true
		}
	}
	return false
}

// MaxColumns is the number of columns of an array, each in a cache line of its own, whose lines stay
// in the first cache while they are accessed in turns, if they share cache sets.
const MaxColumns = 16

// SharesSets reports whether the length of a dimension of r, and so probably that of the rows of an
// array, is a multiple of 1024 bytes for elements of the given size. The lines of a column then share
// few cache sets.
func (r Range) SharesSets(bytes int) bool {
	const distance = 1024
	n := uint64(max(distance/max(bytes, 1), 1))
	for _, length := range r.Global {
		if length > 1 && length%n == 0 {
			return true
		}
	}
	return false
}

// Far reports whether r, which is resolved, has ids that exceed the bound of code compiled
// for near ids (kernel.NearItems).
func (r Range) Far() bool {
	for d := range r.Dims {
		if r.Offset[d]+r.Global[d] > kernel.NearItems {
			return true
		}
	}
	return false
}

// exchanged returns r with dimensions 0 and d exchanged. r is resolved.
func (r Range) exchanged(d int) Range {
	for _, of := range []*[3]uint64{&r.Global, &r.Local, &r.Offset} {
		exchange(of, d)
	}
	return r
}

// of returns r, which is resolved, as the code of p sees it: with dimensions exchanged, or with the
// rows of groups joined.
func (p *Program) of(r Range) Range {
	for _, d := range []int{1, 2} {
		if n := uint64(p.Joined[d]); n > 1 {
			r.Global[0], r.Global[d] = r.Global[0]*n, r.Global[d]/n
			r.Local[0], r.Local[d] = r.Local[0]*n, 1
		}
	}
	return r.exchanged(p.LaneDim)
}

// exchange exchanges dimensions 0 and d.
func exchange(of *[3]uint64, d int) { of[0], of[d] = of[d], of[0] }

// rowsOf calls f for each row of the units that next returns.
func rowsOf(next func() (run, bool), r Range, f func(run) error) error {
	for x, ok := next(); ok; x, ok = next() {
		if err := x.eachRow(r, f); err != nil {
			return err
		}
	}
	return nil
}

// along returns an iterator over the work-items of x, a unit of the range of from, in units of r,
// the range of to.
func (x run) along(from, to *Program, r Range) (next func() (run, bool)) {
	given := uint64(0)
	if from.LaneDim == to.LaneDim && from.Joined == to.Joined {
		return func() (run, bool) {
			given++
			return x, given == 1
		}
	}
	first, n := x.start, [3]uint64{x.count, x.rows, 1}
	if x.groups > 0 {
		first, n = x.group, [3]uint64{x.groups, 1, 1}
	}
	size := x.size
	for _, of := range []*[3]uint64{&first, &n, &size} {
		exchange(of, from.LaneDim)
		exchange(of, to.LaneDim)
	}
	if from.Joined != to.Joined { // all groups have the full size
		size = r.Local
	}
	if x.groups > 0 {
		return func() (run, bool) {
			at := [3]uint64{first[0], first[1] + given%n[1], first[2] + given/n[1]}
			given++
			y := run{count: size[0], group: at, size: size, groups: n[0], rows: 1}
			for d := range 3 {
				y.start[d] = at[d] * r.Local[d]
			}
			return y, given <= n[1]*n[2]
		}
	}
	return func() (run, bool) {
		y := run{start: [3]uint64{first[0], first[1], first[2] + given}, count: n[0], size: r.Local, rows: n[1]}
		given++
		for d := range 3 {
			y.group[d] = y.start[d] / r.Local[d]
		}
		return y, given <= n[2]
	}
}

// items returns the number of work-items of r. Dimensions that r lacks count as 1.
func (r Range) items() uint64 {
	items := uint64(1)
	for _, n := range r.Global {
		items *= max(n, 1)
	}
	return items
}

// WholeGroups reports whether all work-groups of r, which is resolved, have the same size.
func (r Range) WholeGroups() bool {
	for d, n := range r.Local {
		if n > 0 && r.Global[d]%n != 0 {
			return false
		}
	}
	return true
}

// Uniform reports whether all work-groups of r, which is resolved, have the required size.
// A required size of 0 is no requirement.
func (r Range) Uniform(required [3]int) bool {
	for d := range 3 {
		if n := uint64(required[d]); n > 0 && r.Global[d]%n != 0 {
			return false
		}
	}
	return true
}

// Resolve fills in defaults and validates r. required is the kernel's
// reqd_work_group_size, zero if it has none.
func (r Range) Resolve(required [3]int) (Range, error) {
	if r.Dims < 1 || r.Dims > 3 {
		return r, fmt.Errorf("a range must have 1 to 3 dimensions, not %d", r.Dims)
	}
	items, group := uint64(1), uint64(1)
	for d := range 3 {
		if d >= r.Dims {
			if r.Global[d] > 1 || r.Local[d] > 1 || r.Offset[d] > 0 {
				return r, fmt.Errorf("a size or an offset of dimension %d is given, but the range has only %s", d, []string{"dimension 0", "dimensions 0 and 1"}[r.Dims-1])
			}
			r.Global[d], r.Local[d] = 1, 1
			continue
		}
		if r.Global[d] > kernel.MaxItems {
			return r, fmt.Errorf("dimension %d exceeds %d work-items", d, uint64(kernel.MaxItems))
		}
		if r.Offset[d] > kernel.FarItems-r.Global[d] {
			return r, fmt.Errorf("the offset %d of dimension %d exceeds %d", r.Offset[d], d, kernel.FarItems-r.Global[d])
		}
		if items *= max(r.Global[d], 1); items > MaxRange && !r.Empty() { // both factors are below 2^32 and 2^49
			return r, fmt.Errorf("the range has more than %d work-items in total", uint64(MaxRange))
		}
		if n := uint64(required[d]); n > 0 {
			if r.Local[d] != 0 && r.Local[d] != n && r.Local[d] != min(n, r.Global[d]) {
				return r, fmt.Errorf("local size %d of dimension %d is not the %d that the kernel requires", r.Local[d], d, n)
			}
			r.Local[d] = n
		}
		if r.Local[d] == 0 {
			r.Local[d] = chooseLocal(r, d)
		}
		asked := r.Local[d]
		if r.Local[d] = max(r.Local[d], 1); r.Global[d] > 0 {
			r.Local[d] = min(r.Local[d], r.Global[d])
		}
		if asked > MaxGroup || group > MaxGroup/r.Local[d] {
			return r, fmt.Errorf("a work-group has more than %d work-items", MaxGroup)
		}
		group *= r.Local[d]
	}
	return r, nil
}

// chooseLocal picks a default work-group size: rows of up to 256 work-items that divide
// the range if possible.
func chooseLocal(r Range, d int) uint64 {
	if d > 0 {
		return 1
	}
	for n := min(256, r.Global[0]); n >= 16; n-- {
		if r.Global[0]%n == 0 {
			return n
		}
	}
	return min(256, r.Global[0])
}

// run is a range of work-items along dimension 0, or of work-groups of one size. In the
// latter case, count is the size of a group along dimension 0.
type run struct {
	start  [3]uint64 // relative to the offset
	count  uint64
	group  [3]uint64 // the first group
	size   [3]uint64 // of a work-group
	groups uint64    // number of groups along dimension 0
	rows   uint64    // number of consecutive rows along dimension 1
}

// parts returns an iterator over the units of next, of which those longer than length are divided
// into parts of that length; 0: none are.
func parts(next func() (run, bool), length uint64) func() (run, bool) {
	var rest run
	return func() (run, bool) {
		if rest.count == 0 {
			var ok bool
			if rest, ok = next(); !ok || length == 0 || rest.groups > 0 || rest.count <= length {
				x := rest
				rest = run{}
				return x, ok
			}
		}
		x := rest
		x.count = min(length, rest.count)
		rest.start[0] += x.count
		rest.count -= x.count
		rest.group[0] = rest.start[0] / rest.size[0]
		return x, true
	}
}

// eachRow calls f for every row of x.
func (x run) eachRow(r Range, f func(run) error) error {
	row := x
	row.rows = 1
	for n := range x.rows {
		row.start[1] = x.start[1] + n
		row.group[1] = row.start[1] / r.Local[1]
		if err := f(row); err != nil {
			return err
		}
	}
	return nil
}

// items returns the number of work-items of x.
func (x run) items() uint64 {
	if x.groups > 0 {
		return x.groups * x.size[0] * x.size[1] * x.size[2]
	}
	return x.count * x.rows
}

// runs numbers the units of a range so that workers can take them one by one.
// A kernel that uses local or group ids or local memory runs in groups; for others, whole
// rows of the range are split into chunks. A group begins at local id 0 along dimension 0,
// so that the local ids of each W lanes begin at a multiple of W: package divergence
// relies on that.
type runs struct {
	r      Range
	groups bool
	chunk  uint64    // work-items, or work-groups, along dimension 0
	rows   uint64    // rows of work-items in a unit
	full   uint64    // units of full-sized work-groups along dimension 0
	n      [3]uint64 // units per dimension
	total  uint64
}

func newRuns(r Range, groups bool, chunk, rows uint64) *runs {
	s := &runs{r: r, groups: groups, chunk: max(chunk, 1), rows: max(rows, 1)}
	if groups {
		for d := range 3 {
			s.n[d] = (r.Global[d] + r.Local[d] - 1) / r.Local[d]
		}
		// A smaller last group is a unit of its own.
		full := r.Global[0] / r.Local[0]
		s.full = (full + s.chunk - 1) / s.chunk
		s.n[0] += s.full - full
	} else {
		s.n = [3]uint64{(r.Global[0] + s.chunk - 1) / s.chunk, (r.Global[1] + s.rows - 1) / s.rows, r.Global[2]}
	}
	s.total = s.n[0] * s.n[1] * s.n[2]
	return s
}

// unit returns unit i.
func (s *runs) unit(i uint64) run {
	at := [3]uint64{i % s.n[0], i / s.n[0] % s.n[1], i / s.n[0] / s.n[1]}
	if !s.groups {
		x, y := at[0]*s.chunk, at[1]*s.rows
		return run{
			start: [3]uint64{x, y, at[2]}, count: min(s.chunk, s.r.Global[0]-x), rows: min(s.rows, s.r.Global[1]-y),
			group: [3]uint64{x / s.r.Local[0], y / s.r.Local[1], at[2] / s.r.Local[2]}, size: s.r.Local,
		}
	}
	groups := uint64(1)
	group := at
	if at[0] < s.full {
		group[0] = at[0] * s.chunk
		groups = min(s.chunk, s.r.Global[0]/s.r.Local[0]-group[0])
	} else {
		group[0] = s.r.Global[0] / s.r.Local[0]
	}
	var first, size [3]uint64
	for d := range 3 {
		first[d] = group[d] * s.r.Local[d]
		size[d] = min(s.r.Local[d], s.r.Global[d]-first[d])
	}
	return run{start: first, count: size[0], group: group, size: size, groups: groups, rows: 1}
}
