package launch

import (
	"bytes"

	"github.com/simtc/simtc/kernel"
)

// Contents are copies of what the memory that a launch may write to held.
type Contents struct{ memory, copies [][]byte }

// KeepContents copies what f, launched with args, may write to, unless that is more than most
// bytes: then it returns nil.
func KeepContents(f *kernel.Func, args []Arg, most int64) *Contents {
	c, spared, size := &Contents{}, spared(f), int64(0)
	for i, a := range args {
		if len(a.Buffer) > 0 && !spared[i] {
			c.memory, size = append(c.memory, a.Buffer), size+int64(len(a.Buffer))
		}
	}
	if size > most {
		return nil
	}
	for _, b := range c.memory {
		c.copies = append(c.copies, bytes.Clone(b))
	}
	return c
}

// Restore writes back what was there.
func (c *Contents) Restore() {
	for i, b := range c.memory {
		copy(b, c.copies[i])
	}
}
