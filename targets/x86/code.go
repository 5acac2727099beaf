package x86

import (
	"fmt"
	"sort"
	"strings"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/targets"
	"github.com/simtc/simtc/targets/mach/regalloc"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/emulate"
	"github.com/simtc/simtc/vir"
)

// Code is the machine code of one function, position independent and without
// relocations. It must be placed at a multiple of 64 bytes. It is a leaf function: it does
// not use the stack and calls nothing, and may overwrite every register but rsp.
type Code struct {
	Name       string
	Bytes      []byte
	Entry      int     // offset of the function: call it with the launch context in rdi
	SpillBytes int     // bytes of the spill area below its private memory
	Level      int     // x86-64 level: asm.V4, or asm.V3 if no instruction needs AVX-512 (mostly scalar code)
	VNNI       bool    // it requires AVX512_VNNI as well
	Called     vir.ABI // the calling convention of its function
	Lines      []LineEntry
	Places     *diag.Places // source positions, which Lines and instructions refer to by number
	Stats      CodeStats

	spills    []regalloc.Spill
	insts     []asm.Inst
	assembled *asm.Code
	pool      *asm.Pool
}

// LineEntry gives the source position, as a number in Code.Places, of the code from Offset
// up to the next entry.
type LineEntry struct {
	Offset int
	Line   int
}

// CodeStats counts features of the code.
type CodeStats struct {
	regalloc.Stats
	Instructions int
	CodeBytes    int
	Dispatches   int // copies of the decoding and the table jump of a dispatch loop
	Branched     int // selects turned into branches
	Replicas     int // edges redirected past tests to copies of code
	Singly       int // full gathers emitted as scalar loads
	Resized      int // conversions of masks in vectors to other lane sizes
	Whole        int // masked loads of which all lanes are loaded
	Signs        int // blends by the signs of integers instead of masks
	Narrowed     int // divisions in fewer bits than their type or its signs require
	Packed       int // concatenations of narrowed registers that are packed together
}

// ABI describes the calling convention: that of its function (vir.Func.ABI), the size in
// bytes of the spill area below its private memory, and the x86-64 level that it requires,
// 3 or 4 (x86-64-v3, -v4).
func (c *Code) ABI() vir.ABI {
	return append(vir.ABI{{Name: "spill_bytes", Value: c.SpillBytes}, {Name: "x86_64_level", Value: c.Level}}, c.Called...)
}

// AddStats adds the statistics of code generation.
func (c *Code) AddStats(stats pass.Stats) {
	stats.Add("dispatches duplicated", c.Stats.Dispatches)
	stats.Add("gathers of all lanes as single loads", c.Stats.Singly)
	stats.Add("selects turned into branches", c.Stats.Branched)
	if c.Stats.Resized > 0 {
		stats.Add("mask conversions", c.Stats.Resized)
	}
	for name, n := range map[string]int{"masked loads of all lanes": c.Stats.Whole, "blends by signs": c.Stats.Signs, "divisions in 32 bits": c.Stats.Narrowed, "registers packed together": c.Stats.Packed} {
		if n > 0 {
			stats.Add(name, n)
		}
	}
	stats.Add("paths threaded past tests", c.Stats.Replicas)
}

// Spills lists the spill code in loops, by source line.
func (c *Code) Spills() []regalloc.Spill { return c.spills }

// Differs reports whether another form of one-lane code would differ from c, which is Threaded.
func (c *Code) Differs(form string) bool {
	return form == targets.Switch && c.Stats.Dispatches > 0 || form == targets.Selects && c.Stats.Branched > 0
}

// Image returns the code for launches.
func (c *Code) Image() targets.Image {
	return targets.Image{Text: c.Bytes, Entry: c.Entry, Level: c.Level, VNNI: c.VNNI, SpillBytes: c.SpillBytes, At: c.At, Places: c.Places}
}

// At returns the source position of the code at an offset; it is invalid if unknown.
func (c *Code) At(offset int) diag.Pos {
	i := sort.Search(len(c.Lines), func(i int) bool { return c.Lines[i].Offset > offset })
	if i == 0 {
		return diag.Pos{}
	}
	return c.Places.At(c.Lines[i-1].Line)
}

// Emulation translates the code for the emulator.
func (c *Code) Emulation() (*emulate.Program, error) { return emulate.Translate(c.insts, c.assembled) }

// Listing renders kernels as one assembly text in Intel syntax, which GNU as
// accepts. comment returns the comment printed before the code of a source position.
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
		_ = l.Write(&b, c.Name, c.insts, c.assembled, c.pool) // writing to a Builder does not fail
	}
	return b.String()
}

// Listing renders this function alone.
func (c *Code) Listing() string {
	return Listing([]*Code{c}, func(line diag.Pos) string { return fmt.Sprintf("line %d", line.Line) })
}

// Text lists the instructions and labels, without offsets and constants.
func (c *Code) Text() string {
	var s []byte
	for i := range c.insts {
		if in := &c.insts[i]; in.Op != asm.ALIGN {
			if in.Op != asm.LABEL {
				s = append(s, '\t')
			}
			s = append(asm.AppendFormat(s, in, asm.Options{}), '\n')
		}
	}
	return string(s)
}
