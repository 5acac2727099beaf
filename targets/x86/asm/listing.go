package asm

import (
	"bufio"
	"fmt"
	"io"
)

// Listing writes assembled functions as one GNU assembler source in Intel syntax: each
// instruction has its offset in the function and its bytes in a comment, preceded by a comment
// with the source line if that changes.
type Listing struct {
	Comment func(line int32) string // returns the comment for a source line

	// The first numbers of labels and constants for the next function: each function
	// numbers its own from 0, but they are unique in the file.
	labels Label
	consts ConstID
}

// Write adds a function.
func (l *Listing) Write(w io.Writer, name string, list []Inst, code *Code, pool *Pool) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "\t.intel_syntax noprefix\n\t.text\n\t.globl %s\n\t.balign 64\n%s:\n", name, name)
	line, comment := int32(0), ""
	labels := Label(0)
	var text []byte
	for i := range list {
		in := list[i]
		labels = max(labels, in.Target+1)
		in.Target += l.labels
		in.Mem.Label += l.labels
		in.Mem.Const += l.consts
		if in.Line != line && in.Line > 0 {
			line = in.Line
			if text := l.Comment(line); text != comment { // several line numbers may have the same comment
				comment = text
				fmt.Fprintf(out, "# %s\n", comment)
			}
		}
		text = AppendFormat(text[:0], &in, code.Options)
		if in.Op == LABEL {
			fmt.Fprintf(out, "%s\n", text)
			continue
		}
		fmt.Fprintf(out, "\t%-56s # %05x %x\n", text, code.Offsets[i], code.Bytes[code.Offsets[i]:code.Offsets[i+1]])
	}
	l.writeConsts(out, code, pool)
	l.labels += labels
	l.consts += ConstID(pool.Len())
	return out.Flush()
}

// writeConsts lists the constants in memory order.
func (l *Listing) writeConsts(out *bufio.Writer, code *Code, pool *Pool) {
	if pool.Len() == 0 {
		return
	}
	for _, id := range pool.order() {
		data := pool.Data(id)
		fmt.Fprintf(out, "\t.balign %d, 0xcc\n.LC%d:", pool.entries[id].align, id+l.consts)
		for i, to := range pool.entries[id].table {
			sep := ", "
			if i%8 == 0 {
				sep = "\n\t.long "
			}
			fmt.Fprintf(out, "%s.L%d - .LC%d", sep, to+l.labels, id+l.consts)
		}
		if pool.entries[id].table != nil {
			data = ""
		}
		for i := 0; i < len(data); i++ {
			sep := ", "
			if i%16 == 0 {
				sep = "\n\t.byte "
			}
			fmt.Fprintf(out, "%s0x%02x", sep, data[i])
		}
		fmt.Fprintf(out, "\t# %05x\n", code.Consts[id])
	}
}
