package regalloc

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/mach"
)

// inst is an instruction of a machine with two classes of registers, three-address code and
// no memory operands.
type inst struct {
	op   op
	regs [3]mach.Reg // the destination first
	imm  int64       // a constant, or the offset of a slot
	line int32
}

type op uint8

const (
	none  op = iota
	set      // regs[0] = imm
	move     // regs[0] = regs[1]
	add      // regs[0] = regs[1] + regs[2]
	mul      // regs[0] += regs[1] * regs[2]
	shift    // regs[0] = regs[1] << r1.0
	test     // flags = regs[0] & 1
	out      // appends regs[0] to the output
	load
	store
	numOps
)

const first, second mach.Class = 1, 2

var roles = [numOps][]mach.Role{
	set: {mach.Write}, move: {mach.Write, mach.Read}, add: {mach.Write, mach.Read, mach.Read}, mul: {mach.ReadWrite, mach.Read, mach.Read},
	shift: {mach.Write, mach.Read}, test: {mach.Read}, out: {mach.Read}, load: {mach.Write}, store: {mach.Read},
}

var rows = [numOps]mach.Info{
	none: {Props: mach.Removed}, set: {Props: mach.CheapAsMove}, shift: {Fixed: []mach.Fixed{{Reg: mach.Physical(first, 0), Role: mach.Read}}},
	test: {Props: mach.WritesFlags}, out: {Props: mach.SideEffect},
}

func newMachine(registers int) *Machine[inst] {
	usable := uint64(1)<<registers - 1
	class := Class{Count: registers, Usable: usable, Capacity: registers, SlotBytes: 8, MinSlotBytes: 8}
	slot := func(in *inst) Slot { return Slot{Offset: int32(in.imm), Bytes: 8} }
	m := &Machine[inst]{
		ISA: &mach.ISA[inst]{
			Info: func(in *inst) *mach.Info { return &rows[in.op] },
			Operands: func(in *inst, list *mach.Operands) {
				for _, pure := range [2]bool{false, true} {
					for i, role := range roles[in.op] {
						if (role == mach.Write) == pure {
							list.Add(&in.regs[i], role, mach.Value)
						}
					}
				}
			},
			Line:   func(in *inst) *int32 { return &in.line },
			Copy:   func(in *inst) (mach.Reg, mach.Reg, bool) { return in.regs[0], in.regs[1], in.op == move },
			Memory: func(in *inst) mach.Role { return 0 },
			Format: func(in *inst) string { return fmt.Sprint(*in) },
		},
		Move:   func(dst, src mach.Reg) inst { return inst{op: move, regs: [3]mach.Reg{dst, src}} },
		Reload: func(dst mach.Reg, _ int) inst { return inst{op: load, regs: [3]mach.Reg{dst}} },
		Spill:  func(src mach.Reg, _ int) inst { return inst{op: store, regs: [3]mach.Reg{src}} },
		Place: func(in *inst, s Slot) {
			if in.imm = int64(s.Offset); s.Reg == mach.NoReg {
				return
			}
			if in.op == load {
				*in = inst{op: move, regs: [3]mach.Reg{in.regs[0], s.Reg}, line: in.line}
			} else {
				*in = inst{op: move, regs: [3]mach.Reg{s.Reg, in.regs[0]}, line: in.line}
			}
		},
		Dest: func(in *inst) *mach.Reg { return &in.regs[0] },
		Constant: func(in *inst, _ func(mach.Reg) (inst, bool)) (inst, bool) {
			return inst{op: set, imm: in.imm}, in.op == set
		},
		Folded: func(old, in *inst) (mach.Reg, Slot, inst) { return mach.NoReg, Slot{}, inst{} },
		Inserted: func(in *inst) Effect {
			switch in.op {
			case move:
				return Effect{Kind: Moves, Dst: in.regs[0], Src: in.regs[1]}
			case load:
				return Effect{Kind: Reloads, Dst: in.regs[0], Slot: slot(in)}
			case store:
				return Effect{Kind: Spills, Src: in.regs[0], Slot: slot(in)}
			}
			return Effect{Dst: in.regs[0]}
		},
	}
	m.Classes[first], m.Classes[second] = class, class
	m.Classes[second].SpillTo = first
	m.Classes[second].Reserve = 1
	return m
}

// diamonds makes a loop around a branch. Values flow through the parameters of its blocks:
// 1 is the head, 2 and 3 are the arms, 4 joins them, 5 is the exit.
func diamonds(rng *rand.Rand) *mach.Func[inst] {
	f := &mach.Func[inst]{}
	for range 6 {
		f.Blocks = append(f.Blocks, &mach.Block[inst]{})
	}
	kinds := make([]mach.Class, 2+rng.Intn(12))
	for i := range kinds {
		kinds[i] = first + mach.Class(rng.Intn(2))
	}
	fresh := func() (list []mach.Reg) {
		for _, c := range kinds {
			list = append(list, f.NewReg(c))
		}
		return list
	}
	// work computes random new versions of the values and returns them.
	work := func(b *mach.Block[inst], now []mach.Reg) []mach.Reg {
		next := append([]mach.Reg(nil), now...)
		pick := func(c mach.Class) mach.Reg {
			for {
				if r := next[rng.Intn(len(next))]; r.Class() == c {
					return r
				}
			}
		}
		for range rng.Intn(3 * len(now)) {
			i := rng.Intn(len(next))
			c := next[i].Class()
			d := f.NewReg(c)
			switch rng.Intn(6) {
			case 0:
				b.Emit(inst{op: set, regs: [3]mach.Reg{d}, imm: int64(rng.Intn(4))})
			case 1:
				b.Emit(inst{op: move, regs: [3]mach.Reg{d, pick(c)}})
			case 2:
				b.Emit(inst{op: move, regs: [3]mach.Reg{d, pick(c)}})
				b.Emit(inst{op: mul, regs: [3]mach.Reg{d, pick(c), pick(c)}})
			case 3:
				if c == first {
					b.Emit(inst{op: move, regs: [3]mach.Reg{mach.Physical(first, 0), pick(first)}})
					b.Emit(inst{op: shift, regs: [3]mach.Reg{d, pick(c)}})
					break
				}
				fallthrough
			default:
				b.Emit(inst{op: add, regs: [3]mach.Reg{d, pick(c), pick(c)}})
			}
			next[i] = d
		}
		return next
	}
	pass := func(b *mach.Block[inst], to, from []mach.Reg) {
		for i := range to {
			b.Copies = append(b.Copies, mach.Copy{Dst: to[i], Src: from[i]})
		}
	}
	start := fresh()
	for i, r := range start {
		f.Blocks[0].Emit(inst{op: set, regs: [3]mach.Reg{r}, imm: int64(3*i + rng.Intn(9))})
	}
	head, join := fresh(), fresh()
	pass(f.Blocks[0], head, start)
	f.Blocks[0].Term = mach.Terminator{Yes: 1}
	now := work(f.Blocks[1], head)
	f.Blocks[1].Emit(inst{op: test, regs: [3]mach.Reg{now[rng.Intn(len(now))]}})
	f.Blocks[1].Term = mach.Terminator{Cond: true, Yes: 2, No: 3}
	for _, arm := range f.Blocks[2:4] {
		pass(arm, join, work(arm, now))
		arm.Term = mach.Terminator{Yes: 4}
	}
	last := work(f.Blocks[4], join)
	f.Blocks[4].Emit(inst{op: test, regs: [3]mach.Reg{last[rng.Intn(len(last))]}})
	f.Blocks[4].Term = mach.Terminator{Cond: true, Yes: 6, No: 5}
	back := &mach.Block[inst]{Term: mach.Terminator{Yes: 1}}
	pass(back, head, append(last[:0:0], last...))
	f.Blocks = append(f.Blocks, back)
	for _, r := range last {
		f.Blocks[5].Emit(inst{op: out, regs: [3]mach.Reg{r}})
	}
	f.Blocks[5].Term = mach.Terminator{Ret: true}
	return f
}

// execute runs f for a number of blocks and returns its output, and the blocks of the original
// that were executed.
func execute(f *mach.Func[inst], blocks int) (output []int64, path []int) {
	regs, slots, flag := map[mach.Reg]int64{}, map[int64]int64{}, false
	const original = 7
	for at := 0; len(path) < blocks; {
		b := f.Blocks[at]
		if at < original {
			path = append(path, at)
		}
		for _, in := range b.Insts {
			d, x, y := in.regs[0], regs[in.regs[1]], regs[in.regs[2]]
			switch in.op {
			case set:
				regs[d] = in.imm
			case move:
				regs[d] = x
			case add:
				regs[d] = x + y
			case mul:
				regs[d] += x * y
			case shift:
				regs[d] = x << (regs[mach.Physical(first, 0)] & 7)
			case test:
				flag = regs[d]&1 != 0
			case out:
				output = append(output, regs[d])
			case load:
				regs[d] = slots[in.imm]
			case store:
				slots[in.imm] = regs[d]
			}
		}
		moved := map[mach.Reg]int64{}
		for _, c := range b.Copies {
			moved[c.Dst] = regs[c.Src]
		}
		for r, v := range moved {
			regs[r] = v
		}
		switch {
		case b.Term.Ret:
			return output, path
		case b.Term.Cond && !flag:
			at = b.Term.No
		default:
			at = b.Term.Yes
		}
	}
	return output, path
}

// The allocator serves a machine that has nothing in common with x86.
func TestThreeAddressMachine(t *testing.T) {
	var total Stats
	returned := 0
	for seed := range int64(400) {
		rng := rand.New(rand.NewSource(seed))
		f := diamonds(rng)
		before := f.Clone()
		m := newMachine(4 + rng.Intn(4))
		al, err := Allocate(f, m)
		require.NoError(t, err, "seed %d", seed)
		require.NoError(t, Verify(before, f, al, m), "seed %d", seed)
		want, path := execute(before, 60)
		got, same := execute(f, 60)
		require.Equal(t, want, got, "seed %d", seed)
		require.Equal(t, path, same, "seed %d", seed)
		if len(want) > 0 {
			returned++
		}
		total.Spills += al.Stats.Spills
		total.Remats += al.Stats.Remats
		total.Merged += al.Stats.Merged
		total.Moves += al.Stats.Moves
	}
	require.Greater(t, returned, 100)
	require.Positive(t, total.Spills)
	require.Positive(t, total.Remats)
	require.Positive(t, total.Merged)
	require.Positive(t, total.Moves)
}

// Verify finds an operand that reads another value's register.
func TestVerifyFindsAnotherRegister(t *testing.T) {
	found := 0
	for seed := range int64(50) {
		f := diamonds(rand.New(rand.NewSource(seed)))
		before := f.Clone()
		m := newMachine(5)
		al, err := Allocate(f, m)
		require.NoError(t, err)
		exit := f.Blocks[5].Insts
		in := &exit[len(exit)-1]
		require.Equal(t, out, in.op)
		for n := range 5 {
			other := mach.Physical(in.regs[0].Class(), n)
			if other == in.regs[0] {
				continue
			}
			was := in.regs[0]
			in.regs[0] = other
			if Verify(before, f, al, m) != nil {
				found++
			}
			in.regs[0] = was
		}
	}
	require.Greater(t, found, 100)
}
