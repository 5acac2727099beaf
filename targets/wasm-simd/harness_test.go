package wasmsimd

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/memory"
	_ "github.com/simtc/simtc/internal/testgc"
	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/launch/wasmhost/defaulthost"
	"github.com/simtc/simtc/launch/wasmhost/wazerohost"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/interp"
)

func hosts() []wasmhost.Host {
	hs := []wasmhost.Host{wazerohost.New()}
	if d := defaulthost.New(); d.Name() != "wazero" {
		hs = append(hs, d)
	}
	return hs
}

// Addresses of the parts of a run in linear memory.
const (
	ctxAt = Reserved
	bufAt = Reserved + 1024
)

// run executes f on a host over a copy of buf and returns the resulting buffer. CtxArgs of
// the context holds the buffer's address, which also serves as private memory.
func run(t testing.TB, h wasmhost.Host, f *vir.Func, buf []byte, count uint64, opt Options) []byte {
	t.Helper()
	opt.Yield = h.Yields()
	m, err := Compile([]*vir.Func{f}, opt)
	require.NoError(t, err, "%s", f)
	mod, err := h.Compile(m.Encode())
	require.NoError(t, err)
	defer mod.Close()
	pages := uint32((bufAt+len(buf)+2*Reserved)/65536 + 1)
	mem, err := h.NewMemory(wasmhost.MemoryType{Min: pages, Shared: opt.Shared})
	require.NoError(t, err)
	defer mem.Close()
	inst, err := mod.Instantiate(mem)
	require.NoError(t, err)
	defer inst.Close()
	fn, err := inst.Func(f.Name)
	require.NoError(t, err)
	all := mem.Bytes()
	fillContext(all[ctxAt:], bufAt, count)
	copy(all[bufAt:], buf)
	require.NoError(t, fn.Call(ctxAt), "%s", m.WAT())
	require.Zero(t, all[ctxAt+vir.CtxStatus])
	written := slices.IndexFunc(all[:Reserved], func(b byte) bool { return b != 0 })
	require.Equal(t, -1, written, "a byte of the reserved page was written")
	return append([]byte(nil), all[bufAt:bufAt+len(buf)]...)
}

func fillContext(ctx []byte, buf, count uint64) {
	binary.LittleEndian.PutUint64(ctx[vir.CtxArgs:], buf)
	binary.LittleEndian.PutUint64(ctx[vir.CtxScratch:], buf)
	binary.LittleEndian.PutUint64(ctx[vir.CtxCount:], count)
	binary.LittleEndian.PutUint64(ctx[vir.CtxFuel:], 1000)
}

// reference executes f in the interpreter.
func reference(t testing.TB, f *vir.Func, buf []byte, count uint64) []byte {
	t.Helper()
	var space memory.Space
	out := append([]byte(nil), buf...)
	ctx := make([]byte, vir.CtxSize)
	at := space.Add(ctx)
	fillContext(ctx, space.Add(out), count)
	require.NoError(t, interp.Run(context.Background(), f, &space, at, 50_000_000), "%s", f)
	return out
}

// build helps to construct small functions.
type build struct {
	f   *vir.Func
	b   *vir.Block
	buf *vir.Value // address of the buffer
}

func newBuild(width int) *build {
	f := &vir.Func{Name: "main", Width: width}
	x := &build{f: f, b: f.NewBlock("entry")}
	ctx := x.b.Append(vir.Context, vir.Scalar(alu.I64))
	x.buf = x.b.Append(vir.Load, vir.Scalar(alu.I64), ctx)
	x.buf.Disp = vir.CtxArgs
	return x
}

func (x *build) op(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	return x.b.Append(op, t, args...)
}

func (x *build) cst(t vir.Type, bits uint64) *vir.Value { return x.f.Const(t, bits) }

func (x *build) on(w int) *vir.Value { return x.f.Const(vir.Mask(w), 1) }

// load reads a value of type t at an offset of the buffer; a mask from the lowest bits of
// bytes.
func (x *build) load(t vir.Type, at int) *vir.Value {
	if t.Elem == alu.I1 {
		return x.op(alu.Trunc, t, x.load(t.With(alu.I8), at))
	}
	var v *vir.Value
	if t.IsScalar() {
		v = x.op(vir.Load, t, x.buf)
	} else {
		v = x.op(vir.VLoad, t, x.buf, x.on(t.Lanes))
	}
	v.Disp = int64(at)
	return v
}

// store writes v at an offset of the buffer; a mask as bytes 0 and 1.
func (x *build) store(v *vir.Value, at int) {
	if v.Type.Elem == alu.I1 {
		x.store(x.op(alu.ZExt, v.Type.With(alu.I8), v), at)
		return
	}
	var st *vir.Value
	if v.Type.IsScalar() {
		st = x.op(vir.Store, vir.Type{}, x.buf, v)
	} else {
		st = x.op(vir.VStore, vir.Type{}, x.buf, v, x.on(v.Type.Lanes))
	}
	st.Disp = int64(at)
}

var allTypes = []alu.Type{alu.I1, alu.I8, alu.I16, alu.I32, alu.I64, alu.F16, alu.F32, alu.F64}

// interesting returns the bits of a lane, often an edge case.
func interesting(r *rand.Rand, t alu.Type) uint64 {
	edge := map[alu.Type][]uint64{
		alu.F16: {0, 0x8000, 0x3C00, 0x7C00, 0xFC00, 0x7E00, 1, 0x3FF, 0x400, 0x7BFF, 0x83FF},
		alu.F32: {0, 1 << 31, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF,
			0x4F000000, 0xCF000000, 0x4EFFFFFF, 0x4F800000, 0x4F7FFFFF, 0x5F000000, 0xDF000000, 0x5F800000, 0xBF000000, 0xBF7FFFFF,
			0x477FEFFF, 0x477FF000, 0x33000000, 0x33000001, 0x38800000, 0x387FFFFF, 0x3F000000, 0x3FC00000, 0x40200000},
		alu.F64: {0, 1 << 63, 0x3FF << 52, 0xBFF << 52, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 1, 1<<52 - 1, 1 << 52, 0x7FEFFFFFFFFFFFFF,
			math.Float64bits(1 << 31), math.Float64bits(-1 << 31), math.Float64bits(-1<<31 - 1), math.Float64bits(1 << 32), math.Float64bits(1<<32 - 1),
			math.Float64bits(1 << 63), math.Float64bits(-1 << 63), math.Float64bits(1 << 64), math.Float64bits(-0.75), math.Float64bits(65519.99),
			math.Float64bits(65520), math.Float64bits(1e300), math.Float64bits(2.5), math.Float64bits(-3.5), math.Float64bits(1.0009765625 + 1e-12)},
	}[t]
	if edge == nil {
		edge = []uint64{0, 1, 2, 3, 7, 31, 32, ^uint64(0), ^uint64(1), 1 << (t.Bits() - 1), 1<<(t.Bits()-1) - 1, 1 << (t.Bits() / 2)}
	}
	switch r.Intn(4) {
	case 0:
		return edge[r.Intn(len(edge))] & t.Mask()
	case 1:
		switch t {
		case alu.F32:
			return uint64(math.Float32bits(float32(r.NormFloat64() * 100)))
		case alu.F64:
			return math.Float64bits(r.NormFloat64() * 1e5)
		case alu.F16:
			return uint64(r.Intn(0x7C00))
		}
		return uint64(int64(r.Intn(200)-100)) & t.Mask()
	}
	return r.Uint64() & t.Mask()
}

func put(b []byte, t alu.Type, bits uint64) {
	for i := range max(t.Size(), 1) {
		b[i] = byte(bits >> (8 * i))
	}
}

func peek(b []byte, t alu.Type) (bits uint64) {
	for i := range max(t.Size(), 1) {
		bits |= uint64(b[i]) << (8 * i)
	}
	return bits
}

func isNaN(t alu.Type, bits uint64) bool {
	switch t {
	case alu.F16:
		return bits&0x7FFF > 0x7C00
	case alu.F32:
		return bits&0x7FFFFFFF > 0x7F800000
	case alu.F64:
		return bits&(1<<63-1) > 0x7FF<<52
	}
	return false
}

// region is a range of the buffer with lanes of one type.
type region struct {
	what  string
	typ   vir.Type
	at    int
	input []int // offsets of the operands, for messages
	from  []vir.Type
}

// requireSame compares lanes; NaNs are equal.
func requireSame(t testing.TB, regions []region, in, want, got []byte) {
	t.Helper()
	for _, r := range regions {
		size := max(r.typ.Elem.Size(), 1)
		for l := range r.typ.Lanes {
			w, g := peek(want[r.at+l*size:], r.typ.Elem), peek(got[r.at+l*size:], r.typ.Elem)
			if w == g || isNaN(r.typ.Elem, w) && isNaN(r.typ.Elem, g) {
				continue
			}
			args := ""
			for i, a := range r.input {
				n := max(r.from[i].Elem.Size(), 1)
				args += fmt.Sprintf(" %#x", peek(in[a+min(l, r.from[i].Lanes-1)*n:], r.from[i].Elem))
			}
			t.Fatalf("%s lane %d: want %#x, got %#x; operands%s", r.what, l, w, g, args)
		}
	}
}
