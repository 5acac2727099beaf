package opencl

import (
	"context"
	"fmt"

	"github.com/simtc/simtc/internal/ndarg"
)

// Result is the result of a command.
type Result struct {
	Device    string
	Build     Time       // clBuildProgram
	First     Time       // the first run; on PoCL it ends the compilation
	Runs      []Time     // the timed runs
	Checksums []Checksum // of every buffer after the first run
}

// Checksum is the FNV-1a 64 of a buffer's bytes.
type Checksum struct {
	Arg int // index of the argument
	FNV uint64
}

// String formats the checksum like the "sum:" lines of kernels.
func (c Checksum) String() string { return fmt.Sprintf("%d %s", c.Arg, ndarg.FormatHash(c.FNV)) }

// Best returns the minimal CPU time and the minimal wall time of the timed runs, or the times
// of the first run if there are none.
func (r *Result) Best() Time {
	if len(r.Runs) == 0 {
		return r.First
	}
	best := r.Runs[0]
	for _, t := range r.Runs[1:] {
		best.CPU, best.Wall = min(best.CPU, t.CPU), min(best.Wall, t.Wall)
	}
	return best
}

// Run builds c, runs it once for the checksums, and then c.Runs times.
func Run(ctx context.Context, c Command) (Result, error) {
	s, err := Open(ctx, c)
	if err != nil {
		return Result{}, err
	}
	defer s.Close()
	r := Result{Device: s.Device, Build: s.Build}
	if r.First, err = s.Run(); err != nil {
		return r, err
	}
	if r.Checksums, err = s.Checksums(); err != nil {
		return r, err
	}
	for range c.Runs {
		if c.Reset {
			if err := s.Reset(); err != nil {
				return r, err
			}
		}
		t, err := s.Run()
		if err != nil {
			return r, err
		}
		r.Runs = append(r.Runs, t)
	}
	return r, s.Close()
}

// Checksums computes the checksum of every buffer's current contents.
func (s *Session) Checksums() ([]Checksum, error) {
	var sums []Checksum
	for i, a := range s.command.Args {
		if a.Kind != ndarg.Buffer {
			continue
		}
		b, err := s.Read(i)
		if err != nil {
			return nil, err
		}
		sums = append(sums, Checksum{i, ndarg.Hash(b)})
	}
	return sums, nil
}
