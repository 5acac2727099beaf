package wasmsimd

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// randomFlow makes a function over a random, mostly irreducible graph, with scalars,
// vectors and masks that are live across blocks. Every other block decrements a word in
// memory and exits when it is zero.
func randomFlow(seed int64, width, blocks int) (*vir.Func, []byte, []region) {
	r := rand.New(rand.NewSource(seed))
	x := newBuild(width)
	vars := vir.NewVariables(x.f)
	types := []vir.Type{vir.Scalar(alu.I32), vir.Scalar(alu.I64), vir.Scalar(alu.F32), vir.Vec(alu.I32, width), vir.Vec(alu.F64, width),
		vir.Vec(alu.I8, width), vir.Mask(width), vir.Mask(width), vir.Scalar(alu.I1)}
	var names []int
	var buf []byte
	for i, t := range types {
		names = append(names, vars.Declare(t, fmt.Sprintf("x%d", i)))
		at := len(buf)
		buf = append(buf, make([]byte, 8*width)...)
		size := max(t.Elem.Size(), 1)
		for l := range t.Lanes {
			put(buf[at+l*size:], t.Elem, interesting(r, t.Elem))
		}
		vars.Write(x.b, names[i], x.load(t, at))
	}
	counter := len(buf)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(3*blocks))

	jump := func(from *vir.Block, to *vir.Block) {
		from.Jump(to)
		vars.Connect(from, to)
	}
	branch := func(from *vir.Block, c *vir.Value, a, b *vir.Block) {
		from.Branch(c, vir.Edge{To: a}, vir.Edge{To: b})
		vars.Connect(from, a)
		vars.Connect(from, b)
	}
	// Draw the graph first and keep only its reachable part.
	type shape struct{ kind, a, b int }
	shapes := make([]shape, blocks)
	for i := range shapes {
		shapes[i] = shape{r.Intn(4), r.Intn(blocks), r.Intn(blocks)}
		if r.Intn(3) == 0 { // forward, to reach more blocks
			shapes[i].a, shapes[i].b = min(i+1, blocks-1), min(i+2, blocks-1)
		}
	}
	number := map[int]int{0: 0}
	reached := []int{0}
	for i := 0; i < len(reached); i++ {
		next := []int{shapes[reached[i]].a, shapes[reached[i]].b}
		if shapes[reached[i]].kind == 0 {
			next = next[:1]
		}
		for _, n := range next {
			if _, ok := number[n]; !ok {
				number[n] = len(reached)
				reached = append(reached, n)
			}
		}
	}
	exit := x.f.NewBlock("exit")
	var heads, bodies []*vir.Block
	for range reached {
		heads, bodies = append(heads, x.f.NewBlock("head")), append(bodies, x.f.NewBlock("body"))
	}
	jump(x.b, heads[0])
	vars.Seal(x.b)
	for i, h := range heads {
		x.b = h
		n := x.load(vir.Scalar(alu.I64), counter)
		x.store(x.op(alu.Sub, n.Type, n, x.cst(n.Type, 1)), counter)
		branch(h, x.op(alu.Eq, vir.Scalar(alu.I1), n, x.cst(n.Type, 0)), exit, bodies[i])
		b := bodies[i]
		x.b = b
		for range 1 + r.Intn(6) {
			x.step(r, vars, names, types)
		}
		sh := shapes[reached[i]]
		a, c := heads[number[sh.a]], heads[number[sh.b]]
		switch sh.kind {
		case 0:
			jump(b, a)
		case 1:
			branch(b, x.op(vir.Any, vir.Scalar(alu.I1), vars.Read(b, names[6])), a, c)
		case 2:
			branch(b, x.op(vir.All, vir.Scalar(alu.I1), vars.Read(b, names[7])), a, c)
		default:
			branch(b, vars.Read(b, names[8]), a, c)
		}
	}
	vars.Seal(exit)
	for i := range heads {
		vars.Seal(heads[i])
		vars.Seal(bodies[i])
	}
	x.b = exit
	var regions []region
	for i, t := range types {
		regions = append(regions, region{what: fmt.Sprintf("x%d", i), typ: t, at: 8 * width * i})
		x.store(vars.Read(exit, names[i]), 8*width*i)
	}
	exit.Return()
	vars.Finish()
	vir.RemoveUnreachable(x.f)
	vir.RemoveTrivialParams(x.f)
	x.f.Renumber()
	return x.f, buf, regions
}

// step writes a variable from others.
func (x *build) step(r *rand.Rand, vars *vir.Variables, names []int, types []vir.Type) {
	read := func(i int) *vir.Value { return vars.Read(x.b, names[i]) }
	i := r.Intn(len(types))
	t := types[i]
	var v *vir.Value
	switch {
	case t.IsMask() && r.Intn(2) == 0:
		from := []int{3, 4, 5}[r.Intn(3)]
		op := alu.Slt
		if types[from].Elem.IsFloat() {
			op = alu.FLt
		}
		v = x.op(op, t, read(from), x.cst(types[from], interesting(r, types[from].Elem)))
	case t.IsMask():
		v = x.op([]vir.Op{alu.And, alu.Or, alu.Xor}[r.Intn(3)], t, read(6), read(7))
	case t.Elem == alu.I1:
		v = x.op(alu.Ult, t, read(0), x.cst(types[0], interesting(r, alu.I32)))
	case t.IsVec() && r.Intn(2) == 0:
		v = x.op(alu.Select, t, read(6+r.Intn(2)), read(i), x.cst(t, interesting(r, t.Elem)))
	case t.Elem.IsFloat():
		v = x.op([]vir.Op{alu.FAdd, alu.FSub, alu.FMax}[r.Intn(3)], t, read(i), x.cst(t, interesting(r, t.Elem)))
	default:
		v = x.op([]vir.Op{alu.Add, alu.Mul, alu.Xor, alu.Rotl}[r.Intn(4)], t, read(i), x.cst(t, interesting(r, t.Elem)))
	}
	vars.Write(x.b, names[i], v)
	if r.Intn(4) == 0 { // swap two masks: a parallel copy at a back edge
		a, b := read(6), read(7)
		vars.Write(x.b, names[6], b)
		vars.Write(x.b, names[7], a)
	}
}

func TestRandomFlow(t *testing.T) {
	irreducible := 0
	count := int64(60)
	if testing.Short() {
		count = 30
	}
	for seed := range count {
		width := []int{4, 8, 16}[seed%3]
		f, buf, regions := randomFlow(seed, width, 2+int(seed)%24)
		if !cfg.Cycles(f.Graph()).Reducible() {
			irreducible++
		}
		want := reference(t, f, buf, 1)
		require.False(t, bytes.Equal(want, buf))
		for _, h := range hosts() {
			requireSame(t, regions, buf, want, run(t, h, f, buf, 1, Options{Shared: true}))
		}
		second, _, _ := randomFlow(seed, width, 2+int(seed)%24)
		a, err := Compile([]*vir.Func{f}, Options{})
		require.NoError(t, err)
		b, err := Compile([]*vir.Func{second}, Options{})
		require.NoError(t, err)
		require.Equal(t, a.Encode(), b.Encode(), "not deterministic")
	}
	require.Greater(t, irreducible, int(count)/3)
}

// TestStop: an endless loop ends and reports it when the host sets the flag. It is in a
// loop that polls as well, as an optimizing engine might merge the two polls.
func TestStop(t *testing.T) {
	for _, width := range []int{1, 4} {
		x := newBuild(width)
		x.f.Name = "forever"
		around, loop := x.f.NewBlock("around"), x.f.NewBlock("loop")
		x.b.Jump(around)
		around.Jump(loop)
		loop.Branch(x.cst(vir.Scalar(alu.I1), 0), vir.Edge{To: around}, vir.Edge{To: loop})
		for _, shared := range []bool{true, false} {
			for _, h := range hosts() {
				opt := Options{Shared: shared, Yield: h.Yields()}
				m, err := Compile([]*vir.Func{x.f}, opt)
				require.NoError(t, err)
				compile := []func([]byte) (wasmhost.Module, error){h.Compile}
				if o, ok := h.(wasmhost.Optimizer); ok && shared {
					compile = append(compile, o.Optimize)
				}
				for _, compile := range compile {
					mod, err := compile(m.Encode())
					require.NoError(t, err)
					runUntilStopped(t, h, mod, shared)
					require.NoError(t, mod.Close())
				}
			}
		}
	}
}

// runUntilStopped calls the function repeatedly, and stops it after a while.
func runUntilStopped(t *testing.T, h wasmhost.Host, mod wasmhost.Module, shared bool) {
	mem, err := h.NewMemory(wasmhost.MemoryType{Min: 3, Shared: shared})
	require.NoError(t, err)
	inst, err := mod.Instantiate(mem)
	require.NoError(t, err)
	fn, err := inst.Func("forever")
	require.NoError(t, err)
	fillContext(mem.Bytes()[ctxAt:], bufAt, 1)
	stop := time.AfterFunc(5*time.Millisecond, func() {
		runtime.GC() // the running code must permit this
		if err := mem.StoreUint32(ctxAt+vir.CtxStop, 1); err != nil {
			t.Error(err)
		}
	})
	require.NoError(t, fn.Call(ctxAt))
	stop.Stop()
	require.EqualValues(t, 1, mem.Bytes()[ctxAt+vir.CtxStatus])
	require.NoError(t, inst.Close())
	require.NoError(t, mem.Close())
}

// Scalar loops poll the flag in each iteration if possible; the others count iterations.
func TestLoopsPollOrCount(t *testing.T) {
	for _, width := range []int{1, 4} {
		x := newBuild(width)
		x.loop(8, x.cst(vir.Scalar(alu.I32), 0), func(i, v *vir.Value) *vir.Value { return x.op(alu.Xor, i.Type, v, i) })
		x.b.Return()
		for _, shared := range []bool{true, false} {
			for _, yield := range []bool{true, false} {
				m, err := Compile([]*vir.Func{x.f}, Options{Shared: shared, Yield: yield})
				require.NoError(t, err)
				looks := width == 1 && shared && !yield
				require.Equal(t, !looks, strings.Contains(m.WAT(), "$fuel"))
			}
		}
	}
}

// TestNestingStaysFlat: a long chain of ifs must not nest one in the other.
func TestNestingStaysFlat(t *testing.T) {
	x := newBuild(4)
	for i := range 2000 {
		c := x.op(alu.Eq, vir.Scalar(alu.I1), x.load(vir.Scalar(alu.I32), 0), x.cst(vir.Scalar(alu.I32), uint64(i)))
		then, next := x.f.NewBlock("then"), x.f.NewBlock("next")
		x.b.Branch(c, vir.Edge{To: then}, vir.Edge{To: next})
		x.b = then
		x.store(x.cst(vir.Scalar(alu.I32), 7), 4)
		then.Jump(next)
		x.b = next
	}
	x.b.Return()
	m, err := Compile([]*vir.Func{x.f}, Options{})
	require.NoError(t, err)
	depth, deepest := 0, 0
	for _, in := range m.Funcs[0].Body {
		switch in.Op {
		case wasm.Block, wasm.Loop, wasm.If:
			depth++
			deepest = max(deepest, depth)
		case wasm.End:
			depth--
		}
	}
	require.LessOrEqual(t, deepest, 3)
	require.Less(t, len(m.Funcs[0].Locals), 20)
}

// A switch with many cases becomes a jump table, for every type; its exits may pass values
// and branch back to the loop's header.
func TestSwitchesAreTables(t *testing.T) {
	const cases = 12
	i32, i1 := vir.Scalar(alu.I32), vir.Scalar(alu.I1)
	for _, elem := range []alu.Type{alu.I8, alu.I16, alu.I32, alu.I64} {
		for _, first := range []uint64{0, 100} {
			typ := vir.Scalar(elem)
			x := newBuild(1)
			// The subject is read from each of 64 offsets; the sum of the passed values is
			// loop-carried.
			head, exit := x.f.NewBlock("loop"), x.f.NewBlock("exit")
			i, sum := head.NewParam(i32, "i"), head.NewParam(i32, "sum")
			total := exit.NewParam(i32, "total")
			x.b.Jump(head, x.cst(i32, 0), x.cst(i32, 0))
			x.b = head
			at := x.op(alu.Add, vir.Scalar(alu.I64), x.buf, x.op(alu.Shl, vir.Scalar(alu.I64), x.op(alu.ZExt, vir.Scalar(alu.I64), i), x.cst(vir.Scalar(alu.I64), 3)))
			v := x.op(vir.Load, typ, at)
			up := x.op(alu.Add, i32, i, x.cst(i32, 1))
			twice := x.op(alu.Add, i32, sum, sum)
			targetOf := func(k uint64) vir.Edge {
				return vir.Edge{To: head, Args: []*vir.Value{up, x.op(alu.Add, i32, twice, x.cst(i32, 3*k+1))}}
			}
			var targets []vir.Edge // their values are the root's
			for k := range uint64(cases) {
				targets = append(targets, targetOf(k))
			}
			var grow func(b *vir.Block, lo, hi uint64)
			grow = func(b *vir.Block, lo, hi uint64) {
				mid := (lo + hi) / 2
				side := func(lo, hi uint64) vir.Edge {
					if hi-lo == 1 {
						return targets[lo]
					}
					next := x.f.NewBlock("test")
					grow(next, lo, hi)
					return vir.Edge{To: next}
				}
				b.Branch(b.Append(alu.Ult, i1, v, x.cst(typ, first+mid)), side(lo, mid), side(mid, hi))
			}
			// Values beyond the cases end the loop.
			tests, low := x.f.NewBlock("tests"), x.f.NewBlock("low")
			end := vir.Edge{To: exit, Args: []*vir.Value{sum}}
			x.b.Branch(x.op(alu.Ule, i1, x.cst(typ, first+cases), v), end, vir.Edge{To: low})
			low.Branch(low.Append(alu.Ult, i1, v, x.cst(typ, first)), end, vir.Edge{To: tests})
			grow(tests, 0, cases)
			x.b = exit
			x.store(total, 8*65)
			x.b.Return()

			r := rand.New(rand.NewSource(int64(first)))
			for _, last := range []uint64{first + cases, 255, 1 << 40, first - 1} {
				if (last-first)&elem.Mask() < cases {
					continue // the loop would be endless
				}
				buf := make([]byte, 8*66)
				for i := range 64 {
					put(buf[8*i:], alu.I64, first+uint64(r.Intn(cases)))
				}
				put(buf[8*50:], elem, last)
				put(buf[8*64:], elem, last)
				want := reference(t, x.f, buf, 1)
				for _, h := range hosts() {
					require.Equal(t, want, run(t, h, x.f, buf, 1, Options{}), "%s from %d, last %d", elem, first, last)
				}
			}
			require.NotZero(t, opsOf(t, x.f, Options{})[wasm.BrTable], "%s from %d", elem, first)
		}
	}
}

// TestOnlyBackEdgesUseDispatchers: in a cycle that is entered at each of its blocks, in any
// order, one block is reached through its dispatcher, and the others follow it.
func TestOnlyBackEdgesUseDispatchers(t *testing.T) {
	const blocks = 4
	i32, i1 := vir.Scalar(alu.I32), vir.Scalar(alu.I1)
	for shift := range blocks {
		x := newBuild(1)
		entry := x.load(i32, 0)
		var ring [blocks]*vir.Block
		for i := range ring {
			ring[(i+shift)%blocks] = x.f.NewBlock("")
		}
		exit := x.f.NewBlock("exit")
		for i := range blocks - 1 {
			next := x.f.NewBlock("test")
			x.b.Branch(x.op(alu.Eq, i1, entry, x.cst(i32, uint64(i))), vir.Edge{To: ring[i]}, vir.Edge{To: next})
			x.b = next
		}
		x.b.Jump(ring[blocks-1])
		for i, b := range ring {
			x.b = b
			n := x.op(alu.Add, i32, x.load(i32, 4), x.cst(i32, uint64(i+1)))
			x.store(n, 4)
			if i < blocks-1 {
				b.Jump(ring[i+1])
			} else {
				b.Branch(x.op(alu.Ult, i1, n, x.cst(i32, 1000)), vir.Edge{To: ring[0]}, vir.Edge{To: exit})
			}
		}
		exit.Return()
		x.f.Renumber()
		m, err := Compile([]*vir.Func{x.f}, Options{Shared: true})
		require.NoError(t, err)
		sets := strings.Count(m.WAT(), "local.set $entry")
		require.Equal(t, blocks+1, sets, "the entries, and one back edge\n%s", m.WAT())
		for _, h := range hosts() {
			for entry := range byte(blocks) {
				buf := []byte{entry, 0, 0, 0, 0, 0, 0, 0}
				require.Equal(t, reference(t, x.f, buf, 1), run(t, h, x.f, buf, 1, Options{Shared: true}))
			}
		}
	}
}
