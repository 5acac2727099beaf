package avx512

import (
	"fmt"
	"sort"
	"strings"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/targets/avx512/asm"
	"github.com/simtc/simtc/targets/avx512/emulate"
	"github.com/simtc/simtc/vir"
)

// Code is the machine code of one function, position independent and without
// relocations. It must lie at a multiple of 64 bytes. It is a leaf: it never moves
// rsp, pushes or calls nothing, and may clobber every other register.
type Code struct {
	Name       string
	Bytes      []byte
	Entry      int     // offset of the function: call it with the launch context in rdi
	SpillBytes int     // how much it spills below its private memory
	Level      int     // asm.V4, or asm.V3 where nothing came with AVX-512: of one lane, mostly
	Called     vir.ABI // how its function is called
	Lines      []LineEntry
	Places     *diag.Places // what Lines and instructions name by number
	Spills     []Spill      // in loops, by line
	Stats      CodeStats

	insts     []asm.Inst
	assembled *asm.Code
	pool      *asm.Pool
}

// LineEntry says that the code from Offset on comes from a place in a line, by its number in
// Code.Places.
type LineEntry struct {
	Offset int
	Line   int
}

// CodeStats counts what the code consists of.
type CodeStats struct {
	AllocStats
	Instructions int
	CodeBytes    int
	Dispatches   int // copies of what decodes something and jumps through a table
	Branched     int // selects made branches
	Replicas     int // ways that go past tests on copies
	Singly       int // full gathers that are single loads
	Fetched      int // rows of later work-items that are asked for
}

// emitCode allocates registers in f, lays it out and assembles it.
func emitCode(f *machineFunc, name string) (*Code, error) {
	al, err := allocate(f)
	if err != nil {
		return nil, fmt.Errorf("avx512: %s: %w", name, err)
	}
	code, err := assembleFunc(f, name, al)
	if err != nil {
		return nil, fmt.Errorf("avx512: %s: %w", name, err)
	}
	return code, nil
}

// emitChecked is emitCode with every register checked by verifyAllocation.
func emitChecked(f *machineFunc, name string) (*Code, error) {
	before := f.clone()
	al, err := allocate(f)
	if err == nil {
		err = verifyAllocation(before, f, al)
	}
	if err != nil {
		return nil, fmt.Errorf("avx512: %s: %w", name, err)
	}
	code, err := assembleFunc(f, name, al)
	if err != nil {
		return nil, fmt.Errorf("avx512: %s: %w", name, err)
	}
	return code, nil
}

// assembleFunc lays out and assembles a function that has its registers.
func assembleFunc(f *machineFunc, name string, al *allocation) (*Code, error) {
	replicas := replicate(f)
	polish(f)
	l := layOut(f, al.stats.SpillBytes)
	out, err := asm.Assemble(l.insts, f.pool, f.encoding())
	if err != nil {
		return nil, err
	}
	code := &Code{
		Name: name, Bytes: out.Bytes, SpillBytes: al.stats.SpillBytes, Level: out.Level,
		Places: f.places, Spills: al.spills,
		Stats: CodeStats{AllocStats: al.stats, CodeBytes: out.CodeSize, Dispatches: l.copied, Replicas: replicas},
		insts: l.insts, assembled: out, pool: f.pool,
	}
	line := int32(0)
	for i := range code.insts {
		in := &code.insts[i]
		if in.Op.Is(asm.Pseudo) {
			continue
		}
		code.Stats.Instructions++
		if in.Line != 0 && in.Line != line {
			line = in.Line
			code.Lines = append(code.Lines, LineEntry{int(out.Offsets[i]), int(line)})
		}
	}
	return code, nil
}

// ABI tells how the code is called: as its function (vir.Func.ABI), what it needs
// below its private memory, and the level of processors it runs on, 3 or 4
// (x86-64-v3, -v4).
func (c *Code) ABI() vir.ABI {
	return append(vir.ABI{{Name: "spill_bytes", Value: c.SpillBytes}, {Name: "x86_64_level", Value: c.Level}}, c.Called...)
}

// At is the place that the code at an offset comes from, not valid if it is not known.
func (c *Code) At(offset int) diag.Pos {
	i := sort.Search(len(c.Lines), func(i int) bool { return c.Lines[i].Offset > offset })
	if i == 0 {
		return diag.Pos{}
	}
	return c.Places.At(c.Lines[i-1].Line)
}

// Emulation makes the code ready for the emulator.
func (c *Code) Emulation() (*emulate.Program, error) { return emulate.Translate(c.insts, c.assembled) }

// Listing renders kernels as one assembly text in Intel syntax, which GNU as
// accepts. What comment says of a line stands before the code that comes from it.
func Listing(codes []*Code, comment func(line diag.Pos) string) string {
	var l asm.Listing
	var b strings.Builder
	for i, c := range codes {
		l.Comment = func(line int32) string { return comment(c.Places.At(int(line))) }
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "# %s: %d instructions, %d bytes\n#", c.Name, c.Stats.Instructions, c.Stats.CodeBytes)
		for _, f := range c.ABI() {
			fmt.Fprintf(&b, " %s %d", f.Name, f.Value)
		}
		b.WriteByte('\n')
		_ = l.Write(&b, c.Name, c.insts, c.assembled, c.pool) // a Builder takes everything
	}
	return b.String()
}

// Listing renders the code by itself.
func (c *Code) Listing() string {
	return Listing([]*Code{c}, func(line diag.Pos) string { return fmt.Sprintf("line %d", line.Line) })
}
