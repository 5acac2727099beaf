package virtest

import (
	"bytes"
	"context"
	"fmt"

	"github.com/simtc/simtc/internal/memory"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/interp"
)

// maxSteps bounds a run; random functions take far fewer steps.
const maxSteps = 50_000_000

// Run interprets f on a copy of m and returns the copy.
func Run(f *vir.Func, m *Image) (*Image, error) {
	c := m.Clone()
	space := &memory.Space{}
	ctx := c.Map(space.Add)
	return c, interp.Run(context.Background(), f, space, ctx, maxSteps)
}

// Differ describes the first difference between two images, or returns "".
func Differ(a, b *Image) string {
	names := [Buffers]string{"in", "data", "out", "scratch"}
	for i := range a.Buffers {
		if !bytes.Equal(a.Buffers[i], b.Buffers[i]) {
			for k := range a.Buffers[i] {
				if x, y := a.Buffers[i][k], b.Buffers[i][k]; x != y {
					return fmt.Sprintf("buffer %s, byte %d: %#x and %#x", names[i], k, x, y)
				}
			}
		}
	}
	return ""
}
