package asm

import "fmt"

// Code is the machine code of a list of instructions, followed by its constants. It is
// position-independent. Its constants are aligned if it is loaded at a multiple of 64 bytes.
type Code struct {
	Bytes     []byte
	CodeSize  int     // bytes of instructions, without padding and constants
	Offsets   []int32 // offset of each instruction, followed by CodeSize
	Labels    []int32 // offset of each label, -1 if it is not bound
	PoolStart int     // offset of the first constant
	Consts    []int   // offset of each constant of the pool
	Level     int     // V3 or V4: the least processor level that has all of its encodings
	VNNI      bool    // it requires AVX512_VNNI as well
	Options   Options // the options it was assembled with
}

// Processor levels (System V ABI for x86-64, 3.1.1): v3 has AVX2, FMA, BMI and F16C, v4
// AVX-512 F, BW, CD, DQ and VL in addition.
const (
	V3 = 3
	V4 = 4
)

// flex is a jump to a label or an alignment: its size depends on the layout, and it has no
// bytes in encoder.buf.
type flex struct {
	raw    int // offset in encoder.buf
	inst   int
	size   int // current size in bytes
	long   int // size of a jump with a 32-bit offset; 0 for an alignment
	align  int
	max    int // maximum size of an alignment; 0: no limit
	target Label
}

// place is a position in code before its layout: an offset in encoder.buf and the number of
// flexes before it.
type place struct {
	raw   int
	flexN int
}

// Assemble encodes a list of instructions. Labels are bound by LABEL
// instructions; jumps take the short form if their target is in its range. The constants of
// memory operands are in pool, which may be nil if there are none.
func Assemble(list []Inst, pool *Pool, opt Options) (*Code, error) {
	a := assembler{list: list, pool: pool, level: V3, enc: encoder{opt: opt, buf: make([]byte, 0, 8*len(list)+64)}}
	if err := a.encodeAll(); err != nil {
		return nil, err
	}
	a.relax()
	return a.output()
}

type assembler struct {
	list   []Inst
	pool   *Pool
	enc    encoder
	flexes []flex
	before []int // before[i]: total size of the flexes before flex i
	starts []place
	labels []place // by label; raw is -1 if it is not bound
	fixAt  []int   // by fixup: the number of flexes before it
	level  int
	vnni   bool
}

// encodeAll encodes the instructions of fixed size and collects the flexes.
func (a *assembler) encodeAll() error {
	a.starts = make([]place, len(a.list)+1)
	if err := a.bindLabels(); err != nil {
		return err
	}
	for i := range a.list {
		in := &a.list[i]
		here := place{len(a.enc.buf), len(a.flexes)}
		a.starts[i] = here
		switch in.Op {
		case LABEL:
			a.labels[in.Target] = here
			continue
		case ALIGN:
			if n := in.Imm; n < 1 || n > 64 || n&(n-1) != 0 {
				return a.fail(i, "the alignment must be a power of two up to 64")
			}
			a.flexes = append(a.flexes, flex{raw: here.raw, inst: i, align: int(in.Imm), max: int(in.Mem.Disp)})
			continue
		}
		c, ok := choose(in, a.enc.opt)
		if !ok {
			return explain(in, i)
		}
		if c.f.args[0] == label {
			if !a.bound(in.Target) {
				return a.fail(i, "its label is not bound")
			}
			long := 5
			if in.Op == JCC {
				long = 6
			}
			a.flexes = append(a.flexes, flex{raw: here.raw, inst: i, size: 2, long: long, target: in.Target})
			continue
		}
		if in.Mem.Kind != MemAddr && in.hasMem() {
			if in.Mem.Kind == MemConst && !a.pool.has(in.Mem.Const) {
				return a.fail(i, "its constant is not in the pool")
			}
			if in.Mem.Kind == MemLabel && !a.bound(in.Mem.Label) {
				return a.fail(i, "its label is not bound")
			}
			a.fixAt = append(a.fixAt, len(a.flexes))
		}
		a.enc.inst(in, c)
		if c.level(in) == V4 {
			a.level = V4
		}
		a.vnni = a.vnni || in.Op.Is(VNNI)
	}
	a.starts[len(a.list)] = place{len(a.enc.buf), len(a.flexes)}
	return nil
}

// bindLabels checks that labels are bound at most once and allocates their table.
func (a *assembler) bindLabels() error {
	top := -1
	for i := range a.list {
		if in := &a.list[i]; in.Op == LABEL {
			if in.Target < 0 || in.Target >= 1<<24 {
				return a.fail(i, "the label number must be 0..1<<24-1")
			}
			top = max(top, int(in.Target))
		}
	}
	a.labels = make([]place, top+1)
	for i := range a.labels {
		a.labels[i].raw = -1
	}
	for i := range a.list {
		if in := &a.list[i]; in.Op == LABEL {
			if a.labels[in.Target].raw >= 0 {
				return a.fail(i, "the label is bound twice")
			}
			a.labels[in.Target].raw = 0
		}
	}
	return nil
}

func (a *assembler) bound(l Label) bool {
	return l >= 0 && int(l) < len(a.labels) && a.labels[l].raw >= 0
}

func (a *assembler) fail(i int, format string, args ...any) error {
	return &Error{Index: i, Text: Format(&a.list[i]), Msg: fmt.Sprintf(format, args...)}
}

// final returns the final offset of a place.
func (a *assembler) final(p place) int { return p.raw + a.before[p.flexN] }

// relax starts with short jumps and lengthens those whose target is out of range, until none
// is. Jumps only grow, so it terminates with the smallest solution.
func (a *assembler) relax() {
	a.before = make([]int, len(a.flexes)+1)
	for {
		for i := range a.flexes {
			f := &a.flexes[i]
			if f.align != 0 {
				at := f.raw + a.before[i]
				if f.size = roundUp(at, f.align) - at; f.max > 0 && f.size > f.max {
					f.size = 0
				}
			}
			a.before[i+1] = a.before[i] + f.size
		}
		grown := false
		for i := range a.flexes {
			f := &a.flexes[i]
			if f.align != 0 || f.size == f.long {
				continue
			}
			d := a.final(a.labels[f.target]) - (f.raw + a.before[i+1])
			if d != int(int8(d)) {
				f.size = f.long
				grown = true
			}
		}
		if !grown {
			return
		}
	}
}

// output emits the flexes at their final sizes, appends the constants and fills in the
// fixups.
func (a *assembler) output() (*Code, error) {
	n := len(a.list)
	size := a.final(a.starts[n])
	consts, poolStart, end := a.pool.layout(size)
	if int64(end) > 1<<31-1 {
		return nil, &Error{Index: -1, Text: "code", Msg: "larger than 2 GB"}
	}
	out := make([]byte, 0, end)
	raw := 0
	for i := range a.flexes {
		f := &a.flexes[i]
		out = append(out, a.enc.buf[raw:f.raw]...)
		raw = f.raw
		if f.align != 0 {
			out = appendNops(out, f.size)
			continue
		}
		out = a.jump(out, f)
	}
	out = append(out, a.enc.buf[raw:]...)
	for len(out) < poolStart {
		out = append(out, int3)
	}
	out = out[:end]
	for id, at := range consts {
		copy(out[at:], a.pool.entries[id].data)
		for i, l := range a.pool.entries[id].table {
			if !a.bound(l) {
				return nil, &Error{Index: -1, Text: "jump table", Msg: "one of its labels is not bound"}
			}
			put32(out[at+4*i:], a.final(a.labels[l])-at)
		}
	}
	for i := range a.enc.fixups {
		fix := &a.enc.fixups[i]
		shift := a.before[a.fixAt[i]]
		target := 0
		if fix.mem.Kind == MemConst {
			target = consts[fix.mem.Const]
		} else {
			target = a.final(a.labels[fix.mem.Label])
		}
		put32(out[fix.at+shift:], target+int(fix.mem.Disp)-(fix.end+shift))
	}
	c := &Code{Bytes: out, CodeSize: size, PoolStart: poolStart, Consts: consts, Level: a.level, VNNI: a.vnni, Options: a.enc.opt}
	c.Offsets = make([]int32, n+1)
	for i, p := range a.starts {
		c.Offsets[i] = int32(a.final(p))
	}
	c.Labels = make([]int32, len(a.labels))
	for i, p := range a.labels {
		c.Labels[i] = -1
		if p.raw >= 0 {
			c.Labels[i] = int32(a.final(p))
		}
	}
	return c, nil
}

// jump appends a jump at its final size.
func (a *assembler) jump(out []byte, f *flex) []byte {
	in := &a.list[f.inst]
	d := a.final(a.labels[f.target]) - (len(out) + f.size)
	cond := byte(in.Cond & 15)
	switch {
	case in.Op == JMP && f.size == 2:
		return append(out, 0xEB, byte(d))
	case in.Op == JCC && f.size == 2:
		return append(out, 0x70+cond, byte(d))
	case in.Op == JMP:
		out = append(out, 0xE9, 0, 0, 0, 0)
	default:
		out = append(out, 0x0F, 0x80+cond, 0, 0, 0, 0)
	}
	put32(out[len(out)-4:], d)
	return out
}

// int3 is the breakpoint instruction, which fills the gap between code and constants.
const int3 = 0xCC

func put32(b []byte, v int) {
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

// nops are the recommended multi-byte no-operations (SDM, NOP, table 4-12).
var nops = [10]string{
	1: "\x90", 2: "\x66\x90", 3: "\x0f\x1f\x00", 4: "\x0f\x1f\x40\x00", 5: "\x0f\x1f\x44\x00\x00",
	6: "\x66\x0f\x1f\x44\x00\x00", 7: "\x0f\x1f\x80\x00\x00\x00\x00",
	8: "\x0f\x1f\x84\x00\x00\x00\x00\x00", 9: "\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
}

func appendNops(out []byte, n int) []byte {
	for n > 0 {
		k := min(n, 9)
		out = append(out, nops[k]...)
		n -= k
	}
	return out
}
