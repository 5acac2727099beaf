package launch

import (
	"bytes"

	"github.com/simtc/simtc/kernel"
)

// Contents is a copy of the memory that a launch may write to.
type Contents struct{ memory, copies [][]byte }

// KeepContents copies the memory that f, launched with args, may write to. It returns nil
// if that is more than limit bytes.
func KeepContents(f *kernel.Func, args []Arg, limit int64) *Contents {
	c, spared, size := &Contents{}, spared(f), int64(0)
	for i, a := range args {
		if len(a.Buffer) > 0 && !spared[i] {
			c.memory, size = append(c.memory, a.Buffer), size+int64(len(a.Buffer))
		}
	}
	if size > limit {
		return nil
	}
	for _, b := range c.memory {
		c.copies = append(c.copies, bytes.Clone(b))
	}
	return c
}

// Restore writes the copy back.
func (c *Contents) Restore() {
	for i, b := range c.memory {
		copy(b, c.copies[i])
	}
}
