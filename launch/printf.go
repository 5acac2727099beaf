package launch

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/simtc/simtc/internal/clprintf"
	"github.com/simtc/simtc/kernel"
)

// DefaultPrintf is the default size in bytes of a launch's record buffer.
const DefaultPrintf = 16 << 20

// Printf holds the records of the printf calls of one launch. Arg is the hidden last
// argument of a kernel for which kernel.Func.PrintfArg finds one. A launch touches only the
// part of the buffer that its records fill.
type Printf struct {
	f      *kernel.Func
	pool   *PrintfBuffers
	buffer []byte
}

// PrintfBuffers is a pool of the buffers of a program. The zero value is empty. Clearing a
// new buffer takes longer than most launches.
type PrintfBuffers struct {
	mu   sync.Mutex
	free [][]byte // zeroed, of one length
}

// MaxPrintf bounds the size in bytes of a launch's record buffer.
const MaxPrintf = maxBuffer - kernel.PrintfHeader

// maxFreeLogs bounds the number of pooled buffers.
const maxFreeLogs = 4

// New returns a buffer for records of the given size in bytes; 0 means DefaultPrintf. All
// calls pass the same size.
func (l *PrintfBuffers) New(f *kernel.Func, bytes int) *Printf {
	if bytes <= 0 {
		bytes = DefaultPrintf
	}
	n := kernel.PrintfHeader + min(bytes&^7, MaxPrintf)
	p := &Printf{f: f, pool: l}
	if p.buffer = l.take(); p.buffer == nil {
		p.buffer = make([]byte, n)
	}
	binary.LittleEndian.PutUint64(p.buffer[kernel.PrintfUsed:], kernel.PrintfHeader)
	binary.LittleEndian.PutUint64(p.buffer[kernel.PrintfRoom:], uint64(n))
	return p
}

// take returns a pooled buffer, or nil.
func (l *PrintfBuffers) take() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.free) - 1
	if n < 0 {
		return nil
	}
	b := l.free[n]
	l.free = l.free[:n]
	return b
}

func (l *PrintfBuffers) give(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.free) < maxFreeLogs {
		l.free = append(l.free, b)
	}
}

// Arg returns the argument for the launch.
func (p *Printf) Arg() Arg { return Arg{Buffer: p.buffer, isBuf: true, log: true} }

// logUsed returns the number of bytes that a launch has used, including the header.
func logUsed(b []byte) int {
	used := binary.LittleEndian.Uint64(b[kernel.PrintfUsed:])
	return int(max(min(used, uint64(len(b))), kernel.PrintfHeader))
}

// record is the record of one call.
type record struct {
	group, item uint64 // linear ids of the group and of the work-item within it
	at          int    // offset in the buffer
	format      int
}

// Finish writes the output of a launch over r, which has ended with or without an error:
// by group, then by work-item, then in the order of calls. It returns the buffer to the
// pool, after which p must not be used. If records were lost, the last line gives their
// number. A nil w discards the output.
func (p *Printf) Finish(w io.Writer, r Range) error {
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(p.buffer[at:]) }
	used := logUsed(p.buffer)
	defer func() {
		clear(p.buffer[:used])
		p.pool.give(p.buffer)
		p.buffer = nil
	}()
	if w == nil {
		return nil
	}
	r, err := r.Resolve(p.f.ReqdWorkGroupSize)
	if err != nil {
		return nil // the launch has returned this error
	}
	printers := make([]*clprintf.Printer, len(p.f.Formats))
	for i := range p.f.Formats {
		if printers[i], err = p.f.Formats[i].Printer(); err != nil {
			return fmt.Errorf("kernel %s: printf: %w", p.f.Name, err)
		}
	}
	records := p.records(used, r)
	slices.SortStableFunc(records, func(a, b record) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.item, b.item))
	})
	var out []byte
	for _, x := range records {
		out = printers[x.format].Append(out, p.buffer[x.at+kernel.PrintfRecord:])
		if len(out) > 1<<20 {
			if err := write(w, out); err != nil {
				return err
			}
			out = out[:0]
		}
	}
	if lost := word(kernel.PrintfLost); lost > 0 {
		if n := len(out); n > 0 && out[n-1] != '\n' {
			out = append(out, '\n')
		}
		out = fmt.Appendf(out, "printf: %d records lost; the buffer holds %d bytes\n", lost, len(p.buffer)-kernel.PrintfHeader)
	}
	if len(out) == 0 {
		return nil
	}
	return write(w, out)
}

// write writes all of b.
func write(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// records finds the records in the first used bytes. A launch that was stopped may have
// left zeros between them.
func (p *Printf) records(used int, r Range) []record {
	var out []record
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(p.buffer[at:]) }
	for at := kernel.PrintfHeader; at+kernel.PrintfRecord <= used; {
		n := word(at)
		if n == 0 || n > uint64(len(p.f.Formats)) {
			at += 8
			continue
		}
		x := record{at: at, format: int(n - 1)}
		x.group, x.item = r.place(word(at + 8))
		f := &p.f.Formats[x.format]
		end := at + kernel.PrintfRecord + f.Size()
		if end <= used {
			end += f.Extra(p.buffer[at+kernel.PrintfRecord : end])
		}
		if end > used {
			break
		}
		out = append(out, x)
		at = end
	}
	return out
}

// place returns the linear ids of a work-item's group and of the work-item within it. r
// is resolved.
func (r Range) place(item uint64) (group, local uint64) {
	var id [3]uint64
	id[0] = item % r.Global[0]
	id[1] = item / r.Global[0] % r.Global[1]
	id[2] = item / r.Global[0] / r.Global[1]
	for d := 2; d >= 0; d-- {
		groups := (r.Global[d] + r.Local[d] - 1) / r.Local[d]
		group = group*groups + id[d]/r.Local[d]
		local = local*r.Local[d] + id[d]%r.Local[d]
	}
	return group, local
}
