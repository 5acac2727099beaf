package wasmsimd

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// laneProgram uses every operation specific to vir, on one element type.
type laneProgram struct {
	*build
	r       *rand.Rand
	buf     []byte
	regions []region
	w       int
	t       alu.Type
}

func (p *laneProgram) room(n int) int {
	at := len(p.buf)
	p.buf = append(p.buf, make([]byte, n+16)...)
	return at
}

func (p *laneProgram) input(t vir.Type) *vir.Value {
	size := max(t.Elem.Size(), 1)
	at := p.room(size * t.Lanes)
	for l := range t.Lanes {
		put(p.buf[at+l*size:], t.Elem, interesting(p.r, t.Elem))
	}
	return p.load(t, at)
}

// mask returns a mask with about a share of its lanes set.
func (p *laneProgram) mask(share float64) *vir.Value {
	at := p.room(p.w)
	for l := range p.w {
		if p.r.Float64() < share {
			p.buf[at+l] = 1
		}
	}
	return p.load(vir.Mask(p.w), at)
}

func (p *laneProgram) out(v *vir.Value) {
	at := p.room(v.Type.Lanes * max(v.Type.Elem.Size(), 1))
	p.store(v, at)
	p.regions = append(p.regions, region{what: vir.FormatValue(v), typ: v.Type, at: at})
}

func (p *laneProgram) lanes() {
	w, elem := p.w, vir.Scalar(p.t)
	vec := vir.Type{Elem: p.t, Lanes: w}
	a, b := p.input(vec), p.input(vec)
	p.out(p.op(vir.Splat, vec, p.input(elem)))
	for _, i := range []int{0, w / 2, w - 1} {
		v := p.op(vir.Extract, elem, a)
		v.Index = i
		p.out(v)
		if p.t != alu.I1 {
			v = p.op(vir.Insert, vec, a, p.input(elem))
			v.Index = i
			p.out(v)
		}
	}
	for _, share := range []float64{0, 0.1, 0.5, 1} {
		m := p.mask(share)
		if p.t != alu.I1 {
			p.out(p.op(vir.First, elem, a, m))
			p.out(p.op(vir.Compress, vec, a, m))
			p.out(p.op(vir.Expand, vec, a, m))
		}
		if p.t == alu.I1 {
			p.out(p.op(vir.Any, elem, m))
			p.out(p.op(vir.All, elem, m))
			p.out(p.op(vir.Count, vir.Scalar(alu.I64), m))
			p.out(p.op(vir.Rank, vir.Vec(alu.I32, w), m))
			bits := p.op(vir.Bits, vir.Scalar(alu.I64), m)
			p.out(bits)
			p.out(p.op(vir.Unbits, vir.Mask(w), p.op(alu.Xor, bits.Type, bits, p.input(bits.Type))))
		}
	}
	var wide *vir.Value
	for _, n := range []int{2, 3, 4} {
		args := []*vir.Value{a, b, a, p.input(vec)}[:n]
		wide = p.op(vir.Concat, vir.Type{Elem: p.t, Lanes: n * w}, args...)
		p.out(wide)
		for i := range n {
			v := p.op(vir.Part, vec, wide)
			v.Index = i
			p.out(v)
		}
	}
	if p.t != alu.I1 {
		for range 3 {
			v := p.op(vir.Shuffle, vec, a, b)
			for range w {
				v.Lanes = append(v.Lanes, p.r.Intn(2*w))
			}
			p.out(v)
		}
		// Interleaved components, as a vector load of OpenCL has them.
		for c := range 2 {
			v := p.op(vir.Shuffle, vec, wide, wide)
			for l := range w {
				v.Lanes = append(v.Lanes, 4*l+c)
			}
			p.out(v)
		}
	}
	if p.t.IsInt() {
		v := p.op(vir.Iota, vec)
		v.Index = p.r.Intn(300)
		p.out(v)
	}
	if p.t == alu.I1 {
		for _, n := range []int64{-5, 0, 1, int64(w) / 2, int64(w), int64(w) + 3, 1 << 40, -1 << 63} {
			at := p.room(8)
			put(p.buf[at:], alu.I64, uint64(n))
			v := p.op(vir.Prefix, vir.Mask(w), p.load(vir.Scalar(alu.I64), at))
			v.Index = p.r.Intn(4)
			p.out(v)
		}
	}
}

func (p *laneProgram) memory() {
	if p.t == alu.I1 {
		return
	}
	w, vec, size := p.w, vir.Type{Elem: p.t, Lanes: p.w}, p.t.Size()
	masks := []*vir.Value{p.cst(vir.Mask(w), 0), p.cst(vir.Mask(w), 1), p.mask(0), p.mask(0.5), p.mask(1), p.mask(0.1)}
	for i, m := range masks {
		at := p.room(w * size)
		for l := range w {
			put(p.buf[at+l*size:], p.t, interesting(p.r, p.t))
		}
		v := p.op(vir.VLoad, vec, p.op(alu.Add, vir.Scalar(alu.I64), p.buf_(), p.cst(vir.Scalar(alu.I64), uint64(at+40))), m)
		v.Disp, v.Align = -40, []int{0, 1, 2, 8, 64, 3}[i]
		if at%max(v.Align, 1) != 0 {
			v.Align = 0
		}
		p.out(v)
		dst := p.room(w * size)
		st := p.op(vir.VStore, vir.Type{}, p.buf_(), v, m)
		st.Disp = int64(dst)
		p.regions = append(p.regions, region{what: "vstore", typ: vec, at: dst})

		p.private(v, m)

		// Indices in any order, including duplicates; those of inactive lanes may be
		// arbitrary.
		for _, it := range []alu.Type{alu.I32, alu.I64} {
			table := p.room(2 * w * size)
			for l := range 2 * w {
				put(p.buf[table+l*size:], p.t, interesting(p.r, p.t))
			}
			scale := []int{1, 2, 4, 8}[p.r.Intn(4)]
			for scale > size {
				scale /= 2
			}
			ix := p.room(w * it.Size())
			for l := range w {
				put(p.buf[ix+l*it.Size():], it, uint64((p.r.Intn(2*w)-w)*size/scale))
			}
			index := p.load(vir.Type{Elem: it, Lanes: w}, ix)
			wild := p.op(alu.Select, index.Type, m, index, p.input(index.Type))
			g := p.op(vir.Gather, vec, p.buf_(), wild, m)
			g.Scale, g.Disp = scale, int64(table+w*size)
			p.out(g)
			target := p.room(2 * w * size)
			sc := p.op(vir.Scatter, vir.Type{}, p.buf_(), wild, v, m)
			sc.Scale, sc.Disp = scale, int64(target+w*size)
			p.regions = append(p.regions, region{what: fmt.Sprintf("scatter %s", vec), typ: vir.Type{Elem: p.t, Lanes: 2 * w}, at: target})
		}
	}
}

// private stores v under a mask to private memory, at a constant offset and at one that is
// only valid if some lane is active, and loads the result.
func (p *laneProgram) private(v, m *vir.Value) {
	i64, size := vir.Scalar(alu.I64), p.t.Size()
	scratch := p.op(vir.Load, i64, p.op(vir.Context, i64))
	scratch.Disp, scratch.Invariant = vir.CtxScratch, true
	any := p.op(vir.Any, vir.Scalar(alu.I1), m)
	for _, known := range []bool{true, false} {
		at := p.room(p.w * size)
		for l := range p.w {
			put(p.buf[at+l*size:], p.t, interesting(p.r, p.t))
		}
		place := p.cst(i64, uint64(at+40))
		if !known {
			good := p.room(8)
			put(p.buf[good:], alu.I64, uint64(at+40))
			place = p.op(alu.Select, i64, any, p.load(i64, good), p.input(i64))
		}
		address := p.op(alu.Add, i64, scratch, place)
		st := p.op(vir.VStore, vir.Type{}, address, v, m)
		st.Disp = -40
		back := p.op(vir.VLoad, v.Type, address, m)
		back.Disp = -40
		p.out(back)
		p.regions = append(p.regions, region{what: "private vstore", typ: v.Type, at: at})
	}
}

// atomics uses all forms of atomic accesses.
func (p *laneProgram) atomics() {
	if p.t != alu.I32 && p.t != alu.I64 {
		return
	}
	w, vec, one, size := p.w, vir.Type{Elem: p.t, Lanes: p.w}, vir.Scalar(p.t), p.t.Size()
	for kind := range int(alu.NumRMW) + 1 {
		at := (p.room(2*w*size+8) + 7) &^ 7
		for l := range 2 * w {
			put(p.buf[at+l*size:], p.t, interesting(p.r, p.t))
		}
		exchange := kind == int(alu.NumRMW)
		for _, local := range []bool{false, true} {
			op, args := vir.Atomic, []*vir.Value{p.buf_(), p.input(one)}
			if exchange {
				old := p.op(vir.Load, one, p.buf_())
				old.Disp = int64(at)
				op, args = vir.CmpXchg, append(args, p.input(one))
				if local {
					args[1] = old
				}
			}
			x := p.op(op, one, args...)
			x.Index, x.Disp, x.Local = kind%int(alu.NumRMW), int64(at), local
			p.out(x)
			if w == 1 {
				continue
			}
			for i, m := range []*vir.Value{p.cst(vir.Mask(w), 1), p.cst(vir.Mask(w), 0), p.mask(0.5)} {
				ix := p.room(w * 4)
				for l := range w {
					put(p.buf[ix+l*4:], alu.I32, uint64(p.r.Intn(w)))
				}
				index := p.load(vir.Vec(alu.I32, w), ix)
				args := []*vir.Value{p.buf_(), index, p.input(vec)}
				op := vir.VAtomic
				if exchange {
					op = vir.VCmpXchg
					old := p.op(vir.Gather, vec, p.buf_(), index, p.cst(vir.Mask(w), 1))
					old.Scale, old.Disp = size, int64(at)
					args = append(args, p.input(vec))
					args[2] = old
				}
				y := p.op(op, vec, append(args, m)...)
				y.Index, y.Scale, y.Disp, y.Local = x.Index, size, int64(at), local
				if i != 0 || kind%2 == 0 {
					p.out(y)
				}
			}
		}
		p.op(vir.Fence, vir.Type{})
		p.regions = append(p.regions, region{what: alu.RMW(kind).String(), typ: vir.Type{Elem: p.t, Lanes: 2 * w}, at: at})
	}
}

func (p *laneProgram) buf_() *vir.Value { return p.build.buf }

func TestLaneAndMemoryOps(t *testing.T) {
	for _, w := range []int{1, 4, 8, 16, 32, 64} {
		for _, elem := range allTypes {
			t.Run(fmt.Sprintf("%sx%d", elem, w), func(t *testing.T) {
				p := &laneProgram{build: newBuild(w), r: rand.New(rand.NewSource(int64(w))), w: w, t: elem}
				if w > 1 {
					p.lanes()
				}
				p.memory()
				p.atomics()
				p.f.Scratch = len(p.buf)
				p.b.Return()
				want := reference(t, p.f, p.buf, 1)
				for _, h := range hosts() {
					requireSame(t, p.regions, p.buf, want, run(t, h, p.f, p.buf, 1, Options{Shared: w%8 == 0}))
				}
			})
		}
	}
}

func TestTooManyLanes(t *testing.T) {
	x := newBuild(64)
	v := x.op(vir.First, vir.Scalar(alu.I8), x.cst(vir.Vec(alu.I8, 128), 1), x.cst(vir.Mask(128), 1))
	x.store(v, 0)
	x.b.Return()
	_, err := Compile([]*vir.Func{x.f}, Options{})
	require.ErrorContains(t, err, "main: wasm-simd: ")
	require.ErrorContains(t, err, "more than 64 lanes")
	_, err = Compile([]*vir.Func{{Name: "none", Width: 4}}, Options{})
	require.ErrorContains(t, err, "no blocks")
}
