package utest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// lanes is a sub-group or work-group as seen by the model of a function.
type lanes struct {
	x     []int64 // by work-item
	on    []bool  // by work-item: whether it is active
	w     int     // the maximum number of lanes of a sub-group
	id    int
	count int // number of sub-groups
}

// active returns the active lanes.
func (s *lanes) active() []int {
	var out []int
	for l, on := range s.on {
		if on {
			out = append(out, l)
		}
	}
	return out
}

// at returns the value of lane l, 0 if it is inactive.
func (s *lanes) at(l int) int64 {
	if l < 0 || l >= len(s.x) || !s.on[l] {
		return 0
	}
	return s.x[l]
}

// mask returns the bits of active lanes for which f holds.
func (s *lanes) mask(f func(l int) bool) uint64 {
	var m uint64
	for _, l := range s.active() {
		if f(l) {
			m |= 1 << l
		}
	}
	return m
}

func (s *lanes) all() uint64 { return 2<<(s.w-1) - 1 }

// fold combines the values of the active lanes for which f holds.
func (s *lanes) fold(start int64, op func(a, b int64) int64, f func(l int) bool) int64 {
	for _, l := range s.active() {
		if f(l) {
			start = op(start, s.x[l])
		}
	}
	return start
}

type model func(s *lanes, l int) int64

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

var folds = []struct {
	name, typ string
	start     int64
	op        func(a, b int64) int64
}{
	{"add", "int", 0, func(a, b int64) int64 { return a + b }},
	{"add", "float", 0, func(a, b int64) int64 { return a + b }},
	{"min", "int", 1<<31 - 1, func(a, b int64) int64 { return min(a, b) }},
	{"max", "long", -1 << 63, func(a, b int64) int64 { return max(a, b) }},
	{"min", "uchar", 255, func(a, b int64) int64 { return min(a, b) }},
}

var nonUniformFolds = []struct {
	name, typ string
	start     int64
	op        func(a, b int64) int64
}{
	{"mul", "long", 1, func(a, b int64) int64 { return a * b }},
	{"and", "short", -1, func(a, b int64) int64 { return a & b }},
	{"or", "ulong", 0, func(a, b int64) int64 { return a | b }},
	{"xor", "int", 0, func(a, b int64) int64 { return a ^ b }},
}

type modelRow struct {
	expr string // in terms of x and l, the lane
	is   model
}

func everyLane(int) bool { return true }

// subGroupRows returns expressions computed by the work-items of a sub-group together.
func subGroupRows() []modelRow {
	low := func(m uint64) int64 { return int64(bits.TrailingZeros64(m)) }
	rows := []modelRow{
		{"get_sub_group_size()", func(s *lanes, l int) int64 { return int64(len(s.x)) }},
		{"get_max_sub_group_size()", func(s *lanes, l int) int64 { return int64(s.w) }},
		{"get_num_sub_groups()", func(s *lanes, l int) int64 { return int64(s.count) }},
		{"get_sub_group_id()", func(s *lanes, l int) int64 { return int64(s.id) }},
		{"get_sub_group_local_id()", func(s *lanes, l int) int64 { return int64(l) }},
		{"sub_group_all(x > 40)", func(s *lanes, l int) int64 {
			return truth(s.mask(func(l int) bool { return s.x[l] <= 40 }) == 0)
		}},
		{"sub_group_non_uniform_any(x > 110)", func(s *lanes, l int) int64 {
			return truth(s.mask(func(l int) bool { return s.x[l] > 110 }) != 0)
		}},
		{"sub_group_elect()", func(s *lanes, l int) int64 { return truth(s.active()[0] == l) }},
		{"sub_group_non_uniform_all_equal(x / 64)", func(s *lanes, l int) int64 {
			first := s.x[s.active()[0]] / 64
			return truth(s.mask(func(l int) bool { return s.x[l]/64 != first }) == 0)
		}},
		{"sub_group_shuffle(x, x & 15)", func(s *lanes, l int) int64 { return s.at(int(s.x[l] & 15)) }},
		{"sub_group_shuffle_xor((double)x, 3u)", func(s *lanes, l int) int64 { return s.at(l ^ 3) }},
		{"sub_group_shuffle_up(x, 2u)", func(s *lanes, l int) int64 { return s.at(l - 2) }},
		{"sub_group_shuffle_down((uchar)x, 1u)", func(s *lanes, l int) int64 { return s.at(l + 1) }},
		{"sub_group_broadcast((half)x, 0u)", func(s *lanes, l int) int64 { return s.at(0) }},
		{"sub_group_non_uniform_broadcast(x, (uint)n)", func(s *lanes, l int) int64 { return s.at(2) }},
		{"sub_group_broadcast_first(x)", func(s *lanes, l int) int64 { return s.x[s.active()[0]] }},
		{"sub_group_shuffle((short3)(x, 7, l), l ^ 1).z", func(s *lanes, l int) int64 { return truth(s.at(l^1) != 0) * int64(l^1) }},
		{"sub_group_rotate(x, 5)", func(s *lanes, l int) int64 { return s.at((l + 5) % s.w) }},
		{"sub_group_clustered_rotate(x, -1, 2u)", func(s *lanes, l int) int64 { return s.at(l ^ 1) }},
		{"as_long(sub_group_ballot(x & 4).xy)", func(s *lanes, l int) int64 {
			return int64(s.mask(func(l int) bool { return s.x[l]&4 != 0 }))
		}},
		{"sub_group_inverse_ballot((uint4)(0x55, 0x55, 0, 0))", func(s *lanes, l int) int64 { return int64(0x5500000055 >> l & 1) }},
		{"sub_group_ballot_bit_extract((uint4)(0x55, 1, 0, 0), (uint)x & 33)", func(s *lanes, l int) int64 {
			return int64(0x100000055 >> (s.x[l] & 33) & 1)
		}},
		{"sub_group_ballot_bit_count((uint4)(-1, -1, -1, -1))", func(s *lanes, l int) int64 { return int64(s.w) }},
		{"sub_group_ballot_inclusive_scan((uint4)(0x11111111, 0x11111111, 0, 0))", func(s *lanes, l int) int64 { return int64(l/4 + 1) }},
		{"sub_group_ballot_exclusive_scan((uint4)(0x11111111, 0x11111111, 0, 0))", func(s *lanes, l int) int64 { return int64((l + 3) / 4) }},
		{"sub_group_ballot_find_lsb(sub_group_ballot(1))", func(s *lanes, l int) int64 { return low(s.mask(everyLane)) }},
		{"sub_group_ballot_find_msb(sub_group_ballot(1))", func(s *lanes, l int) int64 {
			return int64(bits.Len64(s.mask(everyLane)) - 1)
		}},
		{"as_long(get_sub_group_eq_mask().xy)", func(s *lanes, l int) int64 { return 1 << l }},
		{"as_long(get_sub_group_ge_mask().xy)", func(s *lanes, l int) int64 { return int64(s.all() &^ (1<<l - 1)) }},
		{"as_long(get_sub_group_gt_mask().xy)", func(s *lanes, l int) int64 { return int64(s.all() &^ (2<<l - 1)) }},
		{"as_long(get_sub_group_le_mask().xy)", func(s *lanes, l int) int64 { return int64(uint64(2)<<l - 1) }},
		{"as_long(get_sub_group_lt_mask().xy)", func(s *lanes, l int) int64 { return int64(uint64(1)<<l - 1) }},
		{"intel_sub_group_shuffle_up(x, -x, 1u)", func(s *lanes, l int) int64 {
			if l == 0 {
				return s.at(s.w - 1)
			}
			return -s.at(l - 1)
		}},
		{"intel_sub_group_shuffle_down(x, -x, 1u)", func(s *lanes, l int) int64 {
			if l == s.w-1 {
				return -s.at(0)
			}
			return s.at(l + 1)
		}},
		{"sub_group_non_uniform_reduce_logical_and(x & 64)", func(s *lanes, l int) int64 {
			return truth(s.mask(func(l int) bool { return s.x[l]&64 == 0 }) == 0)
		}},
		{"sub_group_non_uniform_scan_exclusive_logical_or(x & 8)", func(s *lanes, l int) int64 {
			return truth(s.mask(func(k int) bool { return k < l && s.x[k]&8 != 0 }) != 0)
		}},
		{"sub_group_non_uniform_scan_inclusive_logical_xor(x & 1)", func(s *lanes, l int) int64 {
			return s.fold(0, func(a, b int64) int64 { return a ^ b&1 }, func(k int) bool { return k <= l })
		}},
	}
	for i, f := range append(folds[:len(folds):len(folds)], nonUniformFolds...) {
		for _, prefix := range []string{"sub_group_", "sub_group_non_uniform_"} {
			if prefix == "sub_group_" && i >= len(folds) {
				continue
			}
			v := fmt.Sprintf("_%s((%s)x)", f.name, f.typ)
			rows = append(rows,
				modelRow{prefix + "reduce" + v, func(s *lanes, l int) int64 { return s.fold(f.start, f.op, everyLane) }},
				modelRow{prefix + "scan_inclusive" + v, func(s *lanes, l int) int64 {
					return s.fold(f.start, f.op, func(k int) bool { return k <= l })
				}})
			if f.typ != "uchar" || f.start == 255 {
				rows = append(rows, modelRow{prefix + "scan_exclusive" + v, func(s *lanes, l int) int64 {
					return s.fold(f.start, f.op, func(k int) bool { return k < l })
				}})
			}
		}
		for _, c := range []int{1, 2, 4} {
			rows = append(rows, modelRow{
				fmt.Sprintf("sub_group_clustered_reduce_%s((%s)x, %du)", f.name, f.typ, c),
				func(s *lanes, l int) int64 {
					c := min(c, s.w)
					return s.fold(f.start, f.op, func(k int) bool { return k/c == l/c })
				},
			})
		}
	}
	return rows
}

// groupRows returns expressions computed by whole work-groups; the lanes are all their
// work-items.
func groupRows() []modelRow {
	rows := []modelRow{
		{"work_group_all(x > 1)", func(s *lanes, l int) int64 {
			return truth(s.mask0(func(l int) bool { return s.x[l] <= 1 }) == 0)
		}},
		{"work_group_any(x > 125)", func(s *lanes, l int) int64 {
			return truth(s.mask0(func(l int) bool { return s.x[l] > 125 }) != 0)
		}},
		{"work_group_broadcast(x, 1, 0)", func(s *lanes, l int) int64 { return s.x[1] }},
	}
	for _, f := range folds {
		v := fmt.Sprintf("_%s((%s)x)", f.name, f.typ)
		rows = append(rows,
			modelRow{"work_group_reduce" + v, func(s *lanes, l int) int64 { return s.fold(f.start, f.op, everyLane) }},
			modelRow{"work_group_scan_inclusive" + v, func(s *lanes, l int) int64 {
				return s.fold(f.start, f.op, func(k int) bool { return k <= l })
			}},
			modelRow{"work_group_scan_exclusive" + v, func(s *lanes, l int) int64 {
				return s.fold(f.start, f.op, func(k int) bool { return k < l })
			}})
	}
	return rows
}

// mask0 counts the lanes for which f holds.
func (s *lanes) mask0(f func(l int) bool) int {
	n := 0
	for l := range s.x {
		if f(l) {
			n++
		}
	}
	return n
}

// modelKernel returns the source of a kernel that stores all rows for every active
// work-item.
func modelKernel(rows []modelRow, condition string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "__kernel void k(__global long *out, __global const int *in, int n) {\n"+
		"  size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"+
		"  int x = in[i], l = get_sub_group_local_id();\n  if (%s) {\n", condition)
	for k, r := range rows {
		fmt.Fprintf(&b, "    out[i * %d + %d] = %s;\n", len(rows), k, r.expr)
	}
	b.WriteString("  }\n}\n")
	return b.String()
}

// testModel runs the kernel of rows over groups of size items and compares the results
// with the models. split divides a work-group into lanes.
func testModel(t *testing.T, rows []modelRow, condition string, on func(x int64) bool, split func(in []int64, size [2]int, w int) [][]int) {
	t.Parallel()
	ways := []simtc.Strategy{{Target: simtc.Interpreter, Width: 2}}
	var modules []simtc.Strategy
	for i, w := range []int{1, 4, 8, 16, 32, 64} {
		ways = append(ways, simtc.Strategy{Target: simtc.Interpreter, Width: w})
		if runsHere(simtc.AVX512) && (*long || i%2 == 0) { // the others are compared with the interpreter
			ways = append(ways, simtc.Strategy{Target: simtc.AVX512, Width: w, Linearizer: []string{simtc.Partial, simtc.BlockIP}[i/2%2]})
		}
		// Large widths occur only as required sub-group sizes, where values take many
		// registers: each such size is tested with one of the conditions.
		if w >= 32 && (w == 64) == (condition == "x > 0") {
			modules = append(modules, simtc.Strategy{Target: simtc.WASM, Width: w, Linearizer: []string{simtc.Partial, simtc.BlockIP}[i%2], Bypass: simtc.BypassNone, Engine: simtc.Plain})
		}
	}
	testModelWith(t, ways, rows, condition, on, split)
	some := rows
	if !*long { // an engine compiles large functions slowly
		some = nil
		for i := len(condition) % 6; i < len(rows); i += 6 {
			some = append(some, rows[i])
		}
	}
	testModelWith(t, modules, some, condition, on, split)
}

func testModelWith(t *testing.T, ways []simtc.Strategy, rows []modelRow, condition string, on func(x int64) bool, split func(in []int64, size [2]int, w int) [][]int) {
	rnd := rand.New(rand.NewSource(11))
	p, err := simtc.Compile(modelKernel(rows, condition), simtc.Options{File: "model.cl", Debug: simtc.Debug{EmulateMissing: true, Verify: *long}, Threads: 2})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	for _, global := range [][2]int{{43, 4}, {150, 1}} {
		local := [2]int{(global[0] + 1) / 2, (global[1] + 1) / 2} // the last group is incomplete
		in := make([]int64, global[0]*global[1])
		buffer := make([]byte, 4*len(in))
		for i := range in {
			in[i] = int64(rnd.Intn(127) + 1)
			binary.LittleEndian.PutUint32(buffer[4*i:], uint32(in[i]))
		}
		for _, way := range ways {
			kernel, err := p.Kernel("k")
			require.NoError(t, err)
			k, err := kernel.With(way)
			require.NoError(t, err)
			out := make([]byte, 8*len(in)*len(rows))
			r := simtc.NDRange(uint64(global[0]), uint64(global[1])).WithLocal(uint64(local[0]), uint64(local[1]))
			require.NoError(t, k.Launch(context.Background(), r, simtc.Buffer(out), simtc.Buffer(buffer), int32(2)))
			for y := 0; y < global[1]; y += local[1] {
				for x := 0; x < global[0]; x += local[0] {
					size := [2]int{min(local[0], global[0]-x), min(local[1], global[1]-y)}
					parts := split(in, size, way.Width)
					for id, part := range parts {
						s := &lanes{w: way.Width, id: id, count: len(parts)}
						place := func(l int) int { return (y+part[l]/size[0])*global[0] + x + part[l]%size[0] }
						for l := range part {
							v := in[place(l)]
							s.x, s.on = append(s.x, v), append(s.on, on(v))
						}
						for l := range part {
							for k, row := range rows {
								want := int64(0)
								if s.on[l] {
									want = row.is(s, l)
								}
								got := int64(binary.LittleEndian.Uint64(out[8*(place(l)*len(rows)+k):]))
								if got != want {
									require.Failf(t, "wrong", "%s: %s of lane %d of %d is %d, not %d; x %v on %v", way, row.expr, l, len(part), got, want, s.x, s.on)
								}
							}
						}
					}
				}
			}
		}
	}
}

// inRows returns the work-items of each sub-group, by index in the group.
func inRows(_ []int64, size [2]int, w int) [][]int {
	var out [][]int
	for y := range size[1] {
		for x := 0; x < size[0]; x += w {
			var part []int
			for l := x; l < min(x+w, size[0]); l++ {
				part = append(part, y*size[0]+l)
			}
			out = append(out, part)
		}
	}
	return out
}

func whole(_ []int64, size [2]int, _ int) [][]int {
	part := make([]int, size[0]*size[1])
	for i := range part {
		part[i] = i
	}
	return [][]int{part}
}

// TestSubGroupFunctions compares all sub-group functions with models, with all work-items
// active and with only some.
func TestSubGroupFunctions(t *testing.T) {
	t.Run("all", func(t *testing.T) {
		testModel(t, subGroupRows(), "x > 0", func(int64) bool { return true }, inRows)
	})
	t.Run("some", func(t *testing.T) {
		testModel(t, subGroupRows(), "x % 3 != 0", func(x int64) bool { return x%3 != 0 }, inRows)
	})
}

func TestWorkGroupFunctions(t *testing.T) {
	testModel(t, groupRows(), "n > 0", func(int64) bool { return true }, whole)
}

// TestRequiredSubGroupSize checks that a required sub-group size is the only width.
func TestRequiredSubGroupSize(t *testing.T) {
	source := func(n int) string {
		return fmt.Sprintf("__attribute__((intel_reqd_sub_group_size(%d)))\n"+
			"__kernel void k(__global uint *out) { out[get_global_id(0)] = get_max_sub_group_size() * 100 + get_sub_group_local_id(); }\n", n)
	}
	run := func(n int, w simtc.Strategy) (uint32, error) {
		p, err := simtc.Compile(source(n), simtc.Options{Debug: simtc.Debug{EmulateMissing: true}, File: "k.cl"})
		require.NoError(t, err)
		defer p.Close()
		k, err := p.Kernel("k")
		require.NoError(t, err)
		if k, err = k.With(w); err != nil {
			return 0, err
		}
		out := make([]uint32, 5)
		err = k.Launch(context.Background(), simtc.NDRange(5), out)
		return out[4], err
	}
	for _, target := range simtc.Targets() {
		if !runsHere(target) {
			continue
		}
		n, err := run(8, simtc.Strategy{Target: target})
		require.NoError(t, err, target)
		require.Equal(t, uint32(804), n, target)
		if target == simtc.Interpreter {
			continue
		}
		_, err = run(8, simtc.Strategy{Target: target, Width: 4})
		require.ErrorContains(t, err, "requires sub-groups of 8 work-items", target)
	}
	for _, size := range []int{4, 16, 32, 64} {
		for _, target := range simtc.Targets() {
			if !runsHere(target) {
				continue
			}
			for _, w := range []simtc.Strategy{{Target: target}, {Target: target, Width: size}} {
				n, err := run(size, w)
				require.NoError(t, err, "%s of %d", target, size)
				require.Equal(t, uint32(100*size+4%size), n, "%s of %d", target, size)
			}
		}
	}
	_, err := simtc.Compile(source(24), simtc.Options{File: "k.cl"})
	require.ErrorContains(t, err, "k.cl:2:15: kernel k: sub-groups have a power of two of work-items, at most 64, not 24")
}
