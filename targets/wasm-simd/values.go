package wasmsimd

import (
	"fmt"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// reg is an operand of an instruction: a local, or a constant.
type reg struct {
	typ    wasm.ValType
	local  uint32
	isCst  bool
	isTmp  bool // a temporary of the three-address helpers
	lo, hi uint64
}

// selector translates one function. A scalar lives in one local: i1 to i32 and f16 in an
// i32 with all higher bits zero; an i64 also in an i32 if only its low half is needed
// (low); and some floats in a v128 (laneZero). A vector lives in ⌈bits/128⌉ v128 locals,
// lane 0 lowest; the bits above the last lane are arbitrary.
type selector struct {
	c   *compiler
	f   *vir.Func
	b   *wasm.Builder
	err error

	vals       [][]reg        // by value ID
	crossing   []bool         // by value ID: used outside its block, or by an edge
	low        []bool         // by value ID: kept in an i32, as only its low half is needed
	laneZero   []bool         // by value ID: the scalar is in lane 0 of a vector
	places     []place        // by value ID
	usesLeft   []int          // by value ID: remaining uses in its block
	free       [256][]uint32  // by type: free locals
	temps      []reg          // temporaries of the current operation
	resized    []resizedMask  // masks with lanes of another size, in this block only
	entryLocal map[int]uint32 // by dispatcher: the local that names the entry
	fuel       uint32         // loop iterations until the stop flag is tested next
	labels     map[int]wasm.Label
	lay        *layout
}

func newSelector(c *compiler, f *vir.Func, fn *wasm.Func) *selector {
	n := f.NumValues()
	s := &selector{
		c: c, f: f, b: wasm.NewBuilder(fn),
		vals: make([][]reg, n), crossing: make([]bool, n), usesLeft: make([]int, n),
		entryLocal: map[int]uint32{}, labels: map[int]wasm.Label{},
	}
	s.countUses()
	s.findPlaces()
	s.findLow()
	s.findLaneZero()
	return s
}

func (s *selector) fail(v *vir.Value, format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("%s: %s: %s", v.Pos, vir.FormatValue(v), fmt.Sprintf(format, args...))
	}
}

func (s *selector) countUses() {
	for _, b := range s.f.Blocks {
		use := func(v *vir.Value) {
			if v.Op == vir.Const {
				return
			}
			if v.Block == b && v.Op != vir.Param {
				s.usesLeft[v.ID]++
			} else {
				s.crossing[v.ID] = true
			}
		}
		for _, v := range b.Values {
			for _, a := range v.Args {
				use(a)
			}
		}
		if b.Cond != nil {
			use(b.Cond)
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				use(a)
			}
		}
	}
}

// scalarType returns the type of a scalar's local.
func scalarType(t alu.Type) wasm.ValType {
	switch t {
	case alu.I64:
		return wasm.I64
	case alu.F32:
		return wasm.F32
	case alu.F64:
		return wasm.F64
	}
	if t.IsPtr() {
		return wasm.I64
	}
	return wasm.I32
}

func partsFor(lanes, bits int) int { return (lanes*bits + 127) / 128 }

func (s *selector) parts(t vir.Type) int {
	if t.IsScalar() {
		return 1
	}
	return partsFor(t.Lanes, t.LaneBits())
}

func (s *selector) localType(v *vir.Value) wasm.ValType {
	switch {
	case !v.Type.IsScalar(), s.laneZero[v.ID]:
		return wasm.V128
	case s.low[v.ID]:
		return wasm.I32
	}
	return scalarType(v.Type.Elem)
}

// replicate returns the low bits of val in every lane of bits bits.
func replicate(bits int, val uint64) uint64 {
	if bits == 64 {
		return val
	}
	val &= 1<<bits - 1
	for ; bits < 64; bits *= 2 {
		val |= val << bits
	}
	return val
}

// k returns a vector constant with val in every lane of bits bits.
func k(bits int, val uint64) reg {
	x := replicate(bits, val)
	return reg{typ: wasm.V128, isCst: true, lo: x, hi: x}
}

func k32(x int32) reg { return reg{typ: wasm.I32, isCst: true, lo: uint64(uint32(x))} }
func k64(x int64) reg { return reg{typ: wasm.I64, isCst: true, lo: uint64(x)} }

// zero returns the zero constant of a type.
func zero(t wasm.ValType) reg { return reg{typ: t, isCst: true} }

// get returns the operands that hold v.
func (s *selector) get(v *vir.Value) []reg {
	if v.Op != vir.Const {
		if s.laneZero[v.ID] {
			return []reg{s.doLane(extracts[laneColumn(v.Type.Elem)], 0, s.vals[v.ID][0])}
		}
		return s.vals[v.ID]
	}
	if v.Type.IsScalar() {
		return []reg{{typ: scalarType(v.Type.Elem), isCst: true, lo: v.Const}}
	}
	bits := v.Type.LaneBits()
	x := v.Const
	if v.Type.IsMask() {
		x = -(x & 1)
	}
	return same(k(bits, x), s.parts(v.Type))
}

func same(r reg, n int) []reg {
	out := make([]reg, n)
	for i := range out {
		out[i] = r
	}
	return out
}

// def allocates locals for v; those of values live across blocks are never reused and carry
// the value's name.
func (s *selector) def(v *vir.Value) []reg {
	t := s.localType(v)
	out := make([]reg, s.parts(v.Type))
	for i := range out {
		out[i] = s.home(v, t, i, len(out))
	}
	s.vals[v.ID] = out
	return out
}

// defSame allocates one local that represents all parts of v.
func (s *selector) defSame(v *vir.Value) reg {
	t := s.localType(v)
	r := s.home(v, t, 0, 1)
	s.vals[v.ID] = same(r, s.parts(v.Type))
	return r
}

func (s *selector) home(v *vir.Value, t wasm.ValType, i, n int) reg {
	if !s.crossing[v.ID] {
		return s.take(t)
	}
	name := v.Name
	if name == "" {
		name = fmt.Sprintf("v%d", v.ID)
	}
	if n > 1 {
		name = fmt.Sprintf("%s:%d", name, i)
	}
	return reg{typ: t, local: s.b.Local(t, name)}
}

func (s *selector) take(t wasm.ValType) reg {
	if pool := s.free[t]; len(pool) > 0 {
		s.free[t] = pool[:len(pool)-1]
		return reg{typ: t, local: pool[len(pool)-1]}
	}
	return reg{typ: t, local: s.b.Local(t, "")}
}

func (s *selector) give(regs []reg) {
	for i, r := range regs {
		if !r.isCst && (i == 0 || r.local != regs[0].local) {
			s.free[r.typ] = append(s.free[r.typ], r.local)
		}
	}
}

// release frees the operands that the current operation used last.
func (s *selector) release(v *vir.Value) {
	for i := len(s.temps) - 1; i >= 0; i-- {
		s.give(s.temps[i : i+1])
	}
	s.temps = s.temps[:0]
	for _, a := range v.Args {
		if a.Op == vir.Const || a.Block != v.Block || a.Op == vir.Param {
			continue
		}
		s.usesLeft[a.ID]--
		s.drop(a)
	}
	s.drop(v)
}

func (s *selector) drop(v *vir.Value) {
	if s.usesLeft[v.ID] == 0 && !s.crossing[v.ID] && s.vals[v.ID] != nil {
		s.give(s.vals[v.ID])
		s.vals[v.ID] = nil
	}
}

// push puts operands on the stack. A local that has just been set is left on the stack.
func (s *selector) push(rs ...reg) {
	for _, r := range rs {
		body := s.b.F.Body
		n := len(body) - 1
		switch {
		case !r.isCst && n >= 0 && body[n].Op == wasm.LocalSet && body[n].Imm == uint64(r.local):
			body[n].Op = wasm.LocalTee
		case !r.isCst:
			s.b.Get(r.local)
		case r.typ == wasm.V128:
			s.b.V128(r.lo, r.hi)
		case r.typ == wasm.I32:
			s.b.I32(int32(r.lo))
		case r.typ == wasm.I64:
			s.b.I64(int64(r.lo))
		case r.typ == wasm.F32:
			s.b.F32Bits(uint32(r.lo))
		default:
			s.b.F64Bits(r.lo)
		}
	}
}

// pop moves the top of the stack to a temporary.
func (s *selector) pop(t wasm.ValType) reg {
	r := s.temporary(t)
	s.b.Set(r.local)
	return r
}

// temporary returns a local that is free after the current operation.
func (s *selector) temporary(t wasm.ValType) reg {
	r := s.take(t)
	r.isTmp = true
	s.temps = append(s.temps, r)
	return r
}

var resultTypes = map[byte]wasm.ValType{'i': wasm.I32, 'l': wasm.I64, 'f': wasm.F32, 'd': wasm.F64, 'v': wasm.V128}

// do applies an instruction to operands and returns its result in a temporary.
func (s *selector) do(op wasm.Op, rs ...reg) reg {
	s.push(rs...)
	s.b.Op(op)
	return s.pop(resultTypes[wasm.Rows[op].Out[0]])
}

// doLane is do for an instruction with a lane number.
func (s *selector) doLane(op wasm.Op, lane int, rs ...reg) reg {
	s.push(rs...)
	s.b.Lane(op, uint8(lane))
	return s.pop(resultTypes[wasm.Rows[op].Out[0]])
}

// shuffle selects 16 bytes from the concatenation of a and b.
func (s *selector) shuffle(a, b reg, bytes [16]byte) reg {
	s.push(a, b)
	s.b.Shuffle(bytes)
	return s.pop(wasm.V128)
}

// choose returns a if the scalar cond is not zero, else b.
func (s *selector) choose(a, b, cond reg) reg {
	s.push(a, b, cond)
	s.b.SelectType(a.typ)
	return s.pop(a.typ)
}

// move sets a local from an operand. A moved temporary must not be used again: if it has
// just been computed, its instruction now sets dst.
func (s *selector) move(dst, src reg) {
	body := s.b.F.Body
	if n := len(body) - 1; src.isTmp && n >= 0 && body[n].Op == wasm.LocalSet && body[n].Imm == uint64(src.local) {
		body[n].Imm = uint64(dst.local)
		return
	}
	s.push(src)
	s.b.Set(dst.local)
}

// into defines v by one computation per part.
func (s *selector) into(v *vir.Value, compute func(p int) reg) {
	for p, r := range s.def(v) {
		s.move(r, compute(p))
	}
}
