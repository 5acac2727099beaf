package x86

import (
	"math/rand"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/cfg/cfgtest"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// Random functions use a buffer, whose address is CtxArgs of the context. It holds
// a budget of branches at budgetAt, the words that loads, stores and gathers access
// at dataAt, and results at resultAt.
const (
	budgetAt  = 8
	dataAt    = 64
	dataBytes = 4096
	resultAt  = dataAt + dataBytes
)

// randomFunc generates machine functions. Values are defined once (or
// by two-address sequences in one block), flow through parameters, and have long
// live ranges.
type randomFunc struct {
	rng   *rand.Rand
	f     *Func
	b     *Block
	base  asm.Reg
	known [4][]asm.Reg // by class: values available here
	shape shape
}

// shape parameterizes the generator.
type shape struct {
	blocks    int
	perBlock  int
	params    int
	keepAlive float64 // probability that an operand is drawn from all values, not recent ones
	fixed     bool    // instructions with fixed registers
	constants bool
}

// makeRandom returns a random function of the shape.
func makeRandom(rng *rand.Rand, sh shape) *Func {
	var g *cfg.Graph
	switch rng.Intn(3) {
	case 0:
		g = cfgtest.Structured(rng, sh.blocks)
	case 1:
		g = cfgtest.Local(rng, sh.blocks)
	default:
		g = cfgtest.Random(rng, sh.blocks)
	}
	// A separate entry, and at most two successors per block.
	succs := [][]int{{1}}
	for _, ss := range g.Succs {
		var out []int
		for _, s := range ss[:min(len(ss), 2)] {
			out = append(out, s+1)
		}
		succs = append(succs, out)
	}
	r := &randomFunc{rng: rng, shape: sh, f: &Func{
		Target: "test", Pool: &asm.Pool{}, Func: mach.Func[asm.Inst]{Places: &diag.Places{}, SlotBytes: map[mach.Reg]int{}},
	}}
	r.build(cfg.NewGraph(succs))
	return r.f
}

func (r *randomFunc) reg(c asm.Class) asm.Reg { return r.f.NewReg(c) }

func (r *randomFunc) emit(in asm.Inst) { in.Line = 1; r.b.Emit(in) }

func (r *randomFunc) build(g *cfg.Graph) {
	n := g.Len()
	dom := cfg.Dominators(g)
	exitward := exitwards(g)
	classes := []asm.Class{asm.ClassGPR, asm.ClassVec, asm.ClassMask}
	params := make([][]asm.Reg, n)
	knownAt := make([][4][]asm.Reg, n)
	for range n {
		r.f.Blocks = append(r.f.Blocks, &Block{})
	}
	for _, bi := range g.ReversePostOrder() {
		r.b = r.f.Blocks[bi]
		r.known = [4][]asm.Reg{}
		if bi == 0 {
			r.entry()
		} else {
			for c, list := range knownAt[dom.IDom[bi]] {
				r.known[c] = append([]asm.Reg(nil), list...)
			}
			for range r.rng.Intn(r.shape.params + 1) {
				c := classes[r.rng.Intn(3)]
				p := r.reg(c)
				params[bi] = append(params[bi], p)
				r.known[c] = append(r.known[c], p)
			}
		}
		for range 1 + r.rng.Intn(r.shape.perBlock) {
			r.operation()
		}
		knownAt[bi] = r.known
		switch ss := g.Succs[bi]; len(ss) {
		case 0:
			r.finish()
		case 1:
			r.term1(bi, ss[0], exitward)
		default:
			yes, no := ss[0], ss[1]
			if exitward[bi] == yes {
				yes, no = no, yes
			}
			r.decide()
			r.b.Term = Terminator{Cond: true, On: mach.Cond(asm.CondNE), Yes: yes, No: no}
		}
	}
	// Copies, on edges of their own where a branch ends the block.
	for bi := range n {
		b := r.f.Blocks[bi]
		if len(b.Insts) == 0 || b.Term.Ret {
			continue
		}
		for k, s := range b.Succs() {
			if len(params[s]) == 0 {
				continue
			}
			at := b
			if b.Term.Cond {
				at = &Block{Term: Terminator{Yes: s}}
				r.f.Blocks = append(r.f.Blocks, at)
				if k == 0 {
					b.Term.Yes = len(r.f.Blocks) - 1
				} else {
					b.Term.No = len(r.f.Blocks) - 1
				}
			}
			r.b, r.known = at, knownAt[bi]
			for _, p := range params[s] {
				src := r.pick(p.Class())
				if r.rng.Intn(4) == 0 {
					if q := params[s][r.rng.Intn(len(params[s]))]; q.Class() == p.Class() && r.has(q) {
						src = q // exchanges parameters around a loop
					}
				}
				at.Copies = append(at.Copies, CopyOf(p, src))
			}
		}
	}
}

func (r *randomFunc) has(q asm.Reg) bool {
	for _, k := range r.known[q.Class()] {
		if k == q {
			return true
		}
	}
	return false
}

// exitwards returns, by block, the successor nearest to an exit of the function, or
// -1.
func exitwards(g *cfg.Graph) []int {
	next := make([]int, g.Len())
	var queue []int
	for b := range next {
		next[b] = -1
		if len(g.Succs[b]) == 0 {
			queue = append(queue, b)
			next[b] = b
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, p := range g.Preds[queue[0]] {
			if next[p] < 0 {
				next[p] = queue[0]
				queue = append(queue, p)
			}
		}
	}
	return next
}

// entry defines the initial values.
func (r *randomFunc) entry() {
	ctx, base := r.reg(asm.ClassGPR), r.reg(asm.ClassGPR)
	r.emit(asm.Make(asm.MOV, ctx, asm.RDI).Bits(asm.Size64))
	r.emit(asm.Make(asm.MOV, base, asm.InMem).Bits(asm.Size64).WithMem(asm.At(ctx, vir.CtxArgs)))
	r.base = base
	for i := range 3 {
		g := r.define(asm.ClassGPR)
		r.emit(asm.Make(asm.MOV, g, asm.InMem).Bits(asm.Size64).WithMem(asm.At(base, dataAt+int32(i)*8)))
		v := r.define(asm.ClassVec)
		r.emit(asm.Make(asm.VMOVDQU32, v, asm.InMem).Len(asm.V512).WithMem(asm.At(base, dataAt+int32(i)*64)))
		k := r.define(asm.ClassMask)
		r.emit(asm.Make(asm.KMOVW, k, g))
	}
}

// define returns a new register, available from here on.
func (r *randomFunc) define(c asm.Class) asm.Reg {
	x := r.reg(c)
	r.known[c] = append(r.known[c], x)
	return x
}

// pick returns an available value, usually a recent one.
func (r *randomFunc) pick(c asm.Class) asm.Reg {
	list := r.known[c]
	if r.rng.Float64() < r.shape.keepAlive {
		return list[r.rng.Intn(len(list))]
	}
	return list[max(0, len(list)-1-r.rng.Intn(6))]
}

// term1 ends a block with one successor. A loop that exits only at a branch in another
// block still terminates, since branches count down the budget.
func (r *randomFunc) term1(bi, s int, exitward []int) {
	if exitward[bi] < 0 {
		r.finish() // an endless loop
		return
	}
	r.b.Term = Terminator{Yes: s}
}

// decide sets the flags of a branch: NE if a value's low bit is set and the
// budget is not exhausted.
func (r *randomFunc) decide() {
	t, b := r.reg(asm.ClassGPR), r.reg(asm.ClassGPR)
	r.emit(asm.Make(asm.SUB, asm.InMem, asm.InImm).Bits(asm.Size64).WithMem(asm.At(r.base, budgetAt)).WithImm(1))
	r.emit(asm.Make(asm.MOV, b, asm.InMem).Bits(asm.Size64).WithMem(asm.At(r.base, budgetAt)))
	r.emit(asm.Make(asm.NOT, b).Bits(asm.Size64))
	r.emit(asm.Make(asm.SHR, b, asm.InImm).Bits(asm.Size64).WithImm(63))
	r.emit(asm.Make(asm.MOV, t, r.pick(asm.ClassGPR)).Bits(asm.Size64))
	r.emit(asm.Make(asm.AND, t, b).Bits(asm.Size64))
}

// finish stores values and returns.
func (r *randomFunc) finish() {
	at := int32(resultAt)
	for range 24 {
		r.emit(asm.Make(asm.VMOVDQU32, asm.InMem, r.pick(asm.ClassVec)).Len(asm.V512).WithMem(asm.At(r.base, at)))
		r.emit(asm.Make(asm.MOV, asm.InMem, r.pick(asm.ClassGPR)).Bits(asm.Size64).WithMem(asm.At(r.base, at+64)))
		r.emit(asm.Make(asm.KMOVQ, asm.InMem, r.pick(asm.ClassMask)).WithMem(asm.At(r.base, at+72)))
		at += 80
	}
	r.b.Term = Terminator{Ret: true}
}

const resultBytes = 24 * 80

func (r *randomFunc) word() asm.Mem { return asm.At(r.base, dataAt+int32(r.rng.Intn(dataBytes/64))*64) }

// operation appends one operation on random values.
func (r *randomFunc) operation() {
	const g, v, k = asm.ClassGPR, asm.ClassVec, asm.ClassMask
	mk := asm.Make
	wide := func(in asm.Inst) { r.emit(in.Bits(asm.Size64)) }
	zmm := func(in asm.Inst) { r.emit(in.Len(asm.V512)) }
	two := func(c asm.Class, op asm.Op, copyOp func(d, s asm.Reg) asm.Inst) { // d = a op b in two-address form
		a, b := r.pick(c), r.pick(c)
		d := r.reg(c)
		r.emit(copyOp(d, a))
		wide(mk(op, d, b))
		r.known[c] = append(r.known[c], d)
	}
	count := 22
	if r.shape.constants {
		count += 4
	}
	if r.shape.fixed {
		count += 5
	}
	choice := r.rng.Intn(count)
	if choice >= 22 && !r.shape.constants {
		choice += 4
	}
	switch choice {
	case 0, 1:
		two(g, [...]asm.Op{asm.ADD, asm.SUB, asm.XOR, asm.AND, asm.IMUL}[r.rng.Intn(5)], Move)
	case 2:
		a, b := r.pick(g), r.pick(g)
		wide(mk(asm.LEA, r.define(g), asm.InMem).WithMem(asm.Indexed(a, b, 4, int32(r.rng.Intn(100)))))
	case 3:
		m := r.word()
		wide(mk(asm.MOV, r.define(g), asm.InMem).WithMem(m))
	case 4:
		a, m := r.pick(g), r.word()
		wide(mk(asm.MOV, asm.InMem, a).WithMem(m))
	case 5:
		a, b := r.pick(g), r.pick(g)
		wide(mk(asm.SHLX, r.define(g), a, b))
	case 6: // compare, then use the flags
		a, b, c, d := r.pick(g), r.pick(g), r.pick(g), r.reg(g)
		r.emit(Move(d, c))
		wide(mk(asm.CMP, a, b))
		wide(mk(asm.CMOVCC, d, r.pick(g)).If([...]asm.Cond{asm.CondE, asm.CondB, asm.CondNE, asm.CondAE}[r.rng.Intn(4)]))
		r.known[g] = append(r.known[g], d)
	case 7, 8, 9:
		a, b := r.pick(v), r.pick(v)
		zmm(mk([...]asm.Op{asm.VPADDD, asm.VPSUBD, asm.VPXORD, asm.VPMULLD}[r.rng.Intn(4)], r.define(v), a, b))
	case 10: // merging under a mask
		a, b, c, m, d := r.pick(v), r.pick(v), r.pick(v), r.pick(k), r.reg(v)
		r.emit(Move(d, c))
		zmm(mk(asm.VPADDD, d, a, b).Merge(m))
		r.known[v] = append(r.known[v], d)
	case 11:
		a, b, m := r.pick(v), r.pick(v), r.pick(k)
		zmm(mk(asm.VPSUBD, r.define(v), a, b).Zero(m))
	case 12:
		a := r.pick(g)
		zmm(mk(asm.VPBROADCASTDR, r.define(v), a))
	case 13:
		m := r.word()
		zmm(mk(asm.VMOVDQU32, r.define(v), asm.InMem).WithMem(m))
	case 14:
		a, m, w := r.pick(v), r.pick(k), r.word()
		zmm(mk(asm.VMOVDQU32, asm.InMem, a).WithMem(w).Merge(m))
	case 15:
		a, b, c, d := r.pick(v), r.pick(v), r.pick(v), r.reg(v)
		r.emit(Move(d, a))
		zmm(mk(asm.VPTERNLOGD, d, b, c, asm.InImm).WithImm(int64(r.rng.Intn(256))))
		r.known[v] = append(r.known[v], d)
	case 16: // a gather, which clears its mask
		index, masked, m, d, src := r.pick(v), r.reg(v), r.reg(k), r.reg(v), r.pick(v)
		limit := r.reg(v)
		zmm(mk(asm.VPBROADCASTD, limit, asm.InMem).WithMem(asm.ConstMem(r.f.Pool.AddUint(dataBytes/4-1, 4))))
		zmm(mk(asm.VPANDD, masked, index, limit))
		r.emit(Move(m, r.pick(k)))
		r.emit(Move(d, src))
		zmm(mk(asm.VPGATHERDD, d, asm.InMem).WithMem(asm.Indexed(r.base, masked, 4, dataAt)).Merge(m))
		r.known[v] = append(r.known[v], d)
	case 17:
		a, b := r.pick(v), r.pick(v)
		zmm(mk(asm.VPCMPUD, r.define(k), a, b, asm.InImm).WithImm(int64(r.rng.Intn(7))))
	case 18:
		a, b := r.pick(k), r.pick(k)
		r.emit(mk([...]asm.Op{asm.KANDW, asm.KORW, asm.KXORW}[r.rng.Intn(3)], r.define(k), a, b))
	case 19:
		a := r.pick(g)
		r.emit(mk(asm.KMOVW, r.define(k), a))
	case 20:
		a := r.pick(k)
		r.emit(mk(asm.KMOVW, r.define(g), a))
	case 21: // plain copies
		c := [...]asm.Class{g, v, k}[r.rng.Intn(3)]
		a := r.pick(c)
		r.emit(Move(r.define(c), a))
	case 22:
		r.emit(asm.MoveImm(r.define(g), int64(r.rng.Intn(8))-3))
	case 23:
		m := asm.ConstMem(r.f.Pool.AddUint(uint64(r.rng.Intn(6)), 4))
		zmm(mk(asm.VPBROADCASTD, r.define(v), asm.InMem).WithMem(m))
	case 24:
		if r.rng.Intn(2) == 0 {
			r.emit(mk(asm.ZEROV, r.define(v)))
		} else {
			zmm(mk(asm.ONESV, r.define(v)))
		}
	case 25:
		t := r.reg(g)
		r.emit(asm.MoveImm(t, int64(r.rng.Intn(4)*0x1111)))
		r.emit(mk(asm.KMOVW, r.define(k), t))
	case 26: // shift by cl
		a, by, d := r.pick(g), r.pick(g), r.reg(g)
		wide(mk(asm.MOV, asm.RCX, by))
		r.emit(Move(d, a))
		wide(mk(asm.SHLCL, d))
		r.known[g] = append(r.known[g], d)
	case 27, 28: // divide
		a, b, d := r.pick(g), r.pick(g), r.reg(g)
		r.emit(Move(d, b))
		wide(mk(asm.OR, d, asm.InImm).WithImm(1))
		wide(mk(asm.MOV, asm.RAX, a))
		r.emit(asm.MoveImm(asm.RDX, 0))
		wide(mk(asm.DIV, d))
		if r.rng.Intn(2) == 0 {
			r.emit(Move(r.define(g), asm.RAX))
		}
		if r.rng.Intn(2) == 0 {
			r.emit(Move(r.define(g), asm.RDX))
		}
		r.known[g] = append(r.known[g], d)
	case 29: // multiply wide
		a, b := r.pick(g), r.pick(g)
		wide(mk(asm.MOV, asm.RAX, a))
		wide(mk(asm.MUL, b))
		r.emit(Move(r.define(g), asm.RDX))
	case 30:
		a, b := r.pick(g), r.pick(g)
		wide(mk(asm.MOV, asm.RDX, a))
		hi, lo := r.define(g), r.define(g)
		wide(mk(asm.MULX, hi, lo, b))
	}
}
