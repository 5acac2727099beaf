package launch

import (
	"bytes"

	"github.com/simtc/simtc/kernel"
)

// Contents are copies of what the memory that a launch may write to held.
type Contents struct{ memory, copies [][]byte }

// KeepContents copies what f, launched with args, may write to.
func KeepContents(f *kernel.Func, args []Arg) *Contents {
	c, spared := &Contents{}, spared(f)
	for i, a := range args {
		if len(a.Buffer) > 0 && !spared[i] {
			c.memory, c.copies = append(c.memory, a.Buffer), append(c.copies, bytes.Clone(a.Buffer))
		}
	}
	return c
}

// Restore writes back what was there.
func (c *Contents) Restore() {
	for i, b := range c.memory {
		copy(b, c.copies[i])
	}
}
