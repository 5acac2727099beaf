package x86

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/mach/regalloc"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// writer builds machine functions for tests.
type writer struct {
	f *Func
	b *Block
}

func newWriter(blocks int) *writer {
	w := &writer{f: &Func{Target: "test", Pool: &asm.Pool{}, Func: mach.Func[asm.Inst]{SlotBytes: map[mach.Reg]int{}}}}
	for range blocks {
		w.f.Blocks = append(w.f.Blocks, &Block{})
	}
	w.at(0)
	return w
}

func (w *writer) at(b int)                    { w.b = w.f.Blocks[b] }
func (w *writer) gpr() asm.Reg                { return w.f.NewReg(asm.ClassGPR) }
func (w *writer) vec() asm.Reg                { return w.f.NewReg(asm.ClassVec) }
func (w *writer) mask() asm.Reg               { return w.f.NewReg(asm.ClassMask) }
func (w *writer) copy(d, s asm.Reg)           { w.b.Emit(Move(d, s)) }
func (w *writer) pass(d, s asm.Reg)           { w.b.Copies = append(w.b.Copies, CopyOf(d, s)) }
func (w *writer) jump(to int)                 { w.b.Term = Terminator{Yes: to} }
func (w *writer) ret()                        { w.b.Term = Terminator{Ret: true} }
func (w *writer) word(n uint64) asm.Mem       { return asm.ConstMem(w.f.Pool.AddUint(n, 4)) }
func (w *writer) zmm(op asm.Op, r ...asm.Reg) { w.b.Emit(asm.Make(op, r...).Len(asm.V512)) }
func (w *writer) i64(op asm.Op, r ...asm.Reg) { w.b.Emit(asm.Make(op, r...).Bits(asm.Size64)) }
func (w *writer) add(in asm.Inst)             { w.b.Emit(in) }

func (w *writer) branch(on asm.Cond, yes, no int) {
	w.b.Term = Terminator{Cond: true, On: mach.Cond(on), Yes: yes, No: no}
}

// buffer returns the address of the buffer of native tests.
func (w *writer) buffer() asm.Reg {
	ctx, base := w.gpr(), w.gpr()
	w.copy(ctx, asm.RDI)
	w.add(asm.Make(asm.MOV, base, asm.InMem).Bits(asm.Size64).WithMem(asm.At(ctx, vir.CtxArgs)))
	return base
}

// countDown emits the loop control: next = n-1, and its flags.
func (w *writer) countDown(next, n asm.Reg) {
	w.copy(next, n)
	w.add(asm.Make(asm.SUB, next, asm.InImm).Bits(asm.Size64).WithImm(1))
}

// loopOf builds entry -> loop (a single block) -> exit. enter makes the initial
// values; body returns the next values for the current ones; leave uses the
// last ones. A counter that starts at 100 controls the loop.
func loopOf(enter func(w *writer, base asm.Reg) []asm.Reg, body func(w *writer, base asm.Reg, now []asm.Reg) []asm.Reg, leave func(w *writer, base asm.Reg, last []asm.Reg)) *Func {
	w := newWriter(4)
	base := w.buffer()
	start := w.gpr()
	first := append(slices.Clone(enter(w, base)), start)
	w.add(asm.MoveImm(start, 100))
	now := make([]asm.Reg, len(first))
	for i, r := range first {
		now[i] = w.f.NewReg(r.Class())
		w.pass(now[i], r)
	}
	w.jump(1)
	w.at(1)
	n := len(now) - 1
	next := body(w, base, now[:n])
	counter := w.gpr()
	w.countDown(counter, now[n])
	w.branch(asm.CondNE, 2, 3)
	w.at(2) // the back edge
	for i, r := range append(slices.Clone(next), counter) {
		w.pass(now[i], r)
	}
	w.jump(1)
	w.at(3)
	leave(w, base, next)
	w.ret()
	return w.f
}

func storeAll(w *writer, base asm.Reg, list []asm.Reg) {
	for i, r := range list {
		m := asm.At(base, int32(64*i))
		switch r.Class() {
		case asm.ClassVec:
			w.add(asm.Make(asm.VMOVDQU32, asm.InMem, r).Len(asm.V512).WithMem(m))
		case asm.ClassMask:
			w.add(asm.Make(asm.KMOVQ, asm.InMem, r).WithMem(m))
		default:
			w.add(asm.Make(asm.MOV, asm.InMem, r).Bits(asm.Size64).WithMem(m))
		}
	}
}

func load(w *writer, base asm.Reg, at int32) asm.Reg {
	v := w.vec()
	w.add(asm.Make(asm.VMOVDQU32, v, asm.InMem).Len(asm.V512).WithMem(asm.At(base, at)))
	return v
}

// divide emits q = x/by; the remainder is in rdx.
func (w *writer) divide(q, x, by asm.Reg) {
	w.copy(asm.RAX, x)
	w.add(asm.MoveImm(asm.RDX, 0))
	w.i64(asm.DIV, by)
	w.copy(q, asm.RAX)
}

func loadWord(w *writer, base asm.Reg, at int32) asm.Reg {
	v := w.gpr()
	w.add(asm.Make(asm.MOV, v, asm.InMem).Bits(asm.Size64).WithMem(asm.At(base, at)))
	return v
}

// loops are the cases of testdata/loops.txtar, by section name.
var loops = map[string]func() *Func{
	// A dot product whose sum is the last operand: the fma must overwrite it.
	"sum": func() *Func {
		return loopOf(
			func(w *writer, base asm.Reg) []asm.Reg {
				zero := w.vec()
				w.add(asm.Make(asm.ZEROV, zero))
				return []asm.Reg{zero}
			},
			func(w *writer, base asm.Reg, now []asm.Reg) []asm.Reg {
				a, b, d := load(w, base, 0), load(w, base, 64), w.vec()
				w.copy(d, a)
				w.zmm(asm.VFMADD213PS, d, b, now[0])
				return []asm.Reg{d}
			}, storeAll)
	},
	// A cycle of n values needs n+1 moves.
	"rotate": func() *Func {
		return loopOf(
			func(w *writer, base asm.Reg) []asm.Reg {
				return []asm.Reg{load(w, base, 0), load(w, base, 64), load(w, base, 128)}
			},
			func(w *writer, base asm.Reg, now []asm.Reg) []asm.Reg {
				return []asm.Reg{now[1], now[2], now[0]}
			}, storeAll)
	},
	// A constant and a mask used in the loop are made before it.
	"constants": func() *Func {
		return loopOf(
			func(w *writer, base asm.Reg) []asm.Reg { return []asm.Reg{load(w, base, 0)} },
			func(w *writer, base asm.Reg, now []asm.Reg) []asm.Reg {
				c, bits, k, d := w.vec(), w.gpr(), w.mask(), w.vec()
				w.add(asm.Make(asm.VPBROADCASTD, c, asm.InMem).Len(asm.V512).WithMem(w.word(7)))
				w.add(asm.MoveImm(bits, 0x5555))
				w.add(asm.Make(asm.KMOVW, k, bits))
				w.copy(d, now[0])
				w.add(asm.Make(asm.VPADDD, d, d, c).Len(asm.V512).Merge(k))
				return []asm.Reg{d}
			}, storeAll)
	},
	// 34 live vectors, of which the loop uses two: two others are stored before it.
	"through": func() *Func {
		var many []asm.Reg
		return loopOf(
			func(w *writer, base asm.Reg) []asm.Reg {
				for i := range 34 {
					many = append(many, load(w, base, int32(64*i)))
				}
				return many[:1]
			},
			func(w *writer, base asm.Reg, now []asm.Reg) []asm.Reg {
				d := w.vec()
				w.zmm(asm.VPADDD, d, now[0], many[1])
				return []asm.Reg{d}
			},
			func(w *writer, base asm.Reg, last []asm.Reg) { storeAll(w, base, slices.Concat(last, many[1:])) })
	},
	// A division in the loop: no value live across it is in rax or rdx.
	"divide": func() *Func {
		return loopOf(
			func(w *writer, base asm.Reg) []asm.Reg {
				return []asm.Reg{loadWord(w, base, 0)}
			},
			func(w *writer, base asm.Reg, now []asm.Reg) []asm.Reg {
				by, q, r, d := loadWord(w, base, 8), w.gpr(), w.gpr(), w.gpr()
				w.divide(q, now[0], by)
				w.copy(r, asm.RDX)
				w.copy(d, q)
				w.i64(asm.XOR, d, r)
				return []asm.Reg{d}
			}, storeAll)
	},
	// Twelve values live across a division that needs four registers, two of them fixed:
	// three of the values stay in memory throughout the loop.
	"across": func() *Func {
		var many []asm.Reg
		return loopOf(
			func(w *writer, base asm.Reg) []asm.Reg {
				for i := range 12 {
					many = append(many, loadWord(w, base, int32(8*i)))
				}
				return many[:1]
			},
			func(w *writer, base asm.Reg, now []asm.Reg) []asm.Reg {
				by, q := loadWord(w, base, 8), w.gpr()
				w.divide(q, now[0], by)
				return []asm.Reg{q}
			},
			func(w *writer, base asm.Reg, last []asm.Reg) { storeAll(w, base, slices.Concat(last, many[1:])) })
	},
	// A value that an iteration only defines for the exit stays in a register, although
	// fourteen values are live through the loop: it needs one only at the loop's head.
	"passed": func() *Func {
		w := newWriter(4)
		base, n := w.buffer(), w.gpr()
		w.add(asm.MoveImm(n, 100))
		var many []asm.Reg
		for i := range 14 {
			many = append(many, loadWord(w, base, int32(8*i)))
		}
		left, last := w.gpr(), w.gpr()
		w.pass(left, n)
		w.pass(last, many[0])
		w.jump(1)
		w.at(1)
		w.i64(asm.TEST, left, left)
		w.branch(asm.CondE, 3, 2)
		w.at(2)
		var own []asm.Reg
		for i := range 9 {
			own = append(own, loadWord(w, base, int32(8*i)))
		}
		sum := own[0]
		for _, x := range own[1:] {
			d := w.gpr()
			w.copy(d, sum)
			w.i64(asm.ADD, d, x)
			sum = d
		}
		next := w.gpr()
		w.countDown(next, left)
		w.pass(left, next)
		w.pass(last, sum)
		w.jump(1)
		w.at(3)
		storeAll(w, base, append(many[1:], last))
		storeAll(w, base, many[1:]) // used more often than the last
		w.ret()
		return w.f
	},
	// Shifts by cl of a loop-carried value.
	"shift": func() *Func {
		return loopOf(
			func(w *writer, base asm.Reg) []asm.Reg {
				return []asm.Reg{loadWord(w, base, 0)}
			},
			func(w *writer, base asm.Reg, now []asm.Reg) []asm.Reg {
				by, d := loadWord(w, base, 8), w.gpr()
				w.copy(asm.RCX, by)
				w.copy(d, now[0])
				w.i64(asm.ROLCL, d)
				return []asm.Reg{d}
			}, storeAll)
	},
	// The active mask of a divergent loop, from which a gather's mask is made.
	"gather": func() *Func {
		return loopOf(
			func(w *writer, base asm.Reg) []asm.Reg {
				k := w.mask()
				w.add(asm.Make(asm.ONESK, k))
				return []asm.Reg{k, load(w, base, 0)}
			},
			func(w *writer, base asm.Reg, now []asm.Reg) []asm.Reg {
				k, zero, d, found, active := w.mask(), w.vec(), w.vec(), w.mask(), w.mask()
				w.copy(k, now[0])
				w.add(asm.Make(asm.ZEROV, zero))
				w.copy(d, zero)
				w.add(asm.Make(asm.VPGATHERDD, d, asm.InMem).Len(asm.V512).WithMem(asm.Indexed(base, now[1], 4, 0)).Merge(k))
				w.zmm(asm.VPTESTMD, found, d, d)
				w.add(asm.Make(asm.KANDW, active, now[0], found))
				return []asm.Reg{active, d}
			}, storeAll)
	},
}

func TestLoopsGolden(t *testing.T) {
	golden.Run(t, "testdata/loops/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		out := map[string]string{}
		for name := range files {
			if make, ok := loops[name]; ok {
				f := make()
				before := f.Clone()
				al, err := regalloc.Allocate(&f.Func, f.Registers())
				require.NoError(t, err)
				require.NoError(t, regalloc.Verify(&before.Func, &f.Func, al, f.Registers()))
				code, err := assemble(f, name, al, &pass.Context{Stats: pass.Stats{}})
				require.NoError(t, err)
				require.Zero(t, al.Stats.LoopSpills+al.Stats.LoopReloads+al.Stats.LoopRemats)
				out[name] = code.Text()
			}
		}
		require.NotEmpty(t, out)
		return out
	})
}

func TestEveryLoopHasAGolden(t *testing.T) {
	seen := 0
	golden.Run(t, "testdata/loops/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		for name := range files {
			if loops[name] != nil {
				seen++
			}
		}
		return nil
	})
	require.Equal(t, len(loops), seen)
}

// An inner loop with two arms: one needs most registers, the other counts rare
// matches. The count stays in memory around the loop, which costs nothing in iterations
// that do not change it: the back edge needs no reload.
func TestRarelyUsedValueStaysInMemory(t *testing.T) {
	w := newWriter(9)
	base, outer, zero := w.buffer(), w.gpr(), w.gpr()
	w.add(asm.MoveImm(outer, 100))
	w.add(asm.MoveImm(zero, 0))
	left, total := w.gpr(), w.gpr()
	w.pass(left, outer)
	w.pass(total, zero)
	w.jump(1)

	w.at(1) // the outer loop
	n := loadWord(w, base, 0)
	rest, count := w.gpr(), w.gpr()
	w.pass(rest, n)
	w.pass(count, total)
	w.jump(2)

	w.at(2) // the inner loop
	w.i64(asm.TEST, rest, rest)
	w.branch(asm.CondE, 6, 3)
	w.at(3)
	next := w.gpr()
	w.countDown(next, rest)
	w.add(asm.Make(asm.TEST, next, asm.InImm).Bits(asm.Size64).WithImm(63))
	w.branch(asm.CondE, 4, 5)
	w.at(4) // a match
	more := w.gpr()
	w.copy(more, count)
	w.add(asm.Make(asm.ADD, more, asm.InImm).Bits(asm.Size64).WithImm(1))
	w.pass(rest, next)
	w.pass(count, more)
	w.jump(2)
	w.at(5) // no match: the usual case
	var own []asm.Reg
	for i := range 12 {
		own = append(own, loadWord(w, base, int32(8*i)))
	}
	sum := own[0]
	for _, x := range own[1:] {
		d := w.gpr()
		w.copy(d, sum)
		w.i64(asm.ADD, d, x)
		sum = d
	}
	w.add(asm.Make(asm.MOV, asm.InMem, sum).Bits(asm.Size64).WithMem(asm.At(base, 8)))
	w.pass(rest, next)
	w.pass(count, count)
	w.jump(2)

	w.at(6)
	outerNext := w.gpr()
	w.countDown(outerNext, left)
	w.branch(asm.CondE, 8, 7)
	w.at(7)
	w.pass(left, outerNext)
	w.pass(total, count)
	w.jump(1)
	w.at(8)
	w.add(asm.Make(asm.MOV, asm.InMem, count).Bits(asm.Size64).WithMem(asm.At(base, 0)))
	w.ret()

	_, al := allocateAndVerify(t, w.f)
	require.Equal(t, 1, al.Stats.Absent)
	require.Equal(t, 1, al.Stats.InnerReloads, w.f.String()) // at the match
	require.Equal(t, 1, al.Stats.InnerSpills)
}
