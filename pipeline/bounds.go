package pipeline

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt/boundscheck"
)

// maxChecked bounds the compiled copies of a kernel that test different sets of accesses.
// Further sets share a copy that tests all accesses.
const maxChecked = 8

// checkedStates caches the copies of a kernel that test accesses.
type checkedStates struct {
	last   *proof // of the latest launch
	key    []byte // memory for a key
	kernel *boundscheck.Analysis
	states map[string]*state // by the IDs of the tested accesses
}

// proof is the result of the analysis of a launch. It holds for all launches with its key.
type proof struct {
	key   string
	state *state // the kernel to run: the original, or a copy with tests
	err   error
}

// bounded returns the kernel for a launch over r, which is resolved, with tests of the accesses
// that need them.
func (k *Kernel) bounded(r launch.Range, args []launch.Arg) (*Kernel, error) {
	if r.Empty() {
		return k, nil
	}
	s := k.shared
	if s.base != nil {
		s = s.base
	}
	for i, p := range s.args {
		if !args[i].Fits(p) {
			return k, nil // the launch returns an error
		}
	}
	p := s.proofOf(k.cfg, r, args)
	if p.err != nil {
		return nil, p.err
	}
	if p.state == k.shared {
		return k, nil
	}
	return &Kernel{p.state, k.cfg}, nil
}

// launchBounds describes a launch.
func (s *state) launchBounds(r launch.Range, args []launch.Arg) *boundscheck.Launch {
	l := &boundscheck.Launch{Dims: r.Dims, Global: r.Global, Local: r.Local, Offset: r.Offset, Reads: s.prog.OutOfBoundsReads, Args: make([]boundscheck.Arg, len(s.args))}
	for i, p := range s.args {
		a, to := args[i], &l.Args[i]
		switch p.Kind {
		case kernel.ArgBuffer:
			to.Size, to.Null = int64(len(a.Buffer)), a.Buffer == nil
		case kernel.ArgLocal:
			to.Size = int64(a.Local)
		case kernel.ArgScalar, kernel.ArgBytes:
			to.Value = a.Value
		}
	}
	return l
}

// boundsKey appends the range, sizes and values that a proof depends on to b.
func (s *state) boundsKey(b []byte, c Choice, r launch.Range, args []launch.Arg) []byte {
	word := func(x uint64) { b = binary.LittleEndian.AppendUint64(b, x) }
	flags := uint64(r.Dims)
	if c.checked {
		flags |= 1 << 8
	}
	if c.target.Scalar {
		flags |= 1 << 9
	}
	word(flags)
	for d := range 3 {
		word(r.Global[d])
		word(r.Local[d])
		word(r.Offset[d])
	}
	for i, p := range s.args {
		switch a := &args[i]; {
		case p.Kind == kernel.ArgBuffer && a.Buffer == nil:
			word(math.MaxUint64)
		case p.Kind == kernel.ArgBuffer:
			word(uint64(len(a.Buffer)))
		case p.Kind == kernel.ArgLocal:
			word(uint64(a.Local))
		default:
			b = append(b, a.Value...) // of the parameter's size
		}
	}
	return b
}

// proofOf returns the proof of a launch, from the cache if the previous launch had the same key.
func (s *state) proofOf(c Choice, r launch.Range, args []launch.Arg) *proof {
	s.checkMu.Lock()
	defer s.checkMu.Unlock()
	key := s.boundsKey(s.checked.key[:0], c, r, args)
	s.checked.key = key
	if p := s.checked.last; p != nil && p.key == string(key) {
		return p
	}
	p := &proof{key: string(key)}
	p.state, p.err = s.prove(c, s.launchBounds(r, args))
	s.checked.last = p
	return p
}

// prove returns an error for an access that is certainly out of bounds, else the kernel with
// tests of those that may be.
func (s *state) prove(c Choice, l *boundscheck.Launch) (_ *state, err error) {
	defer Guard(&err)
	f, err := s.prepared()
	if err != nil {
		return nil, err
	}
	if s.checked.kernel == nil {
		s.checked.kernel = boundscheck.Of(f)
	}
	accesses := s.checked.kernel
	if v := accesses.Certain(l); v != nil {
		return nil, s.violation(v)
	}
	var ids []int
	switch {
	case c.checked:
		ids = accesses.Unproven(l)
	case slices.ContainsFunc(l.Args, func(a boundscheck.Arg) bool { return a.Null }):
		ids = accesses.Null(l)
	}
	return s.withTests(c, ids)
}

// withTests returns the kernel with tests of the accesses with the given IDs. requires: checkMu
// is held.
func (s *state) withTests(c Choice, ids []int) (*state, error) {
	if len(ids) == 0 && !(c.checked && c.target.Scalar) {
		return s, nil
	}
	if len(s.checked.states) >= maxChecked {
		ids = boundscheck.Accesses(s.raw)
	}
	var name []byte
	for _, id := range ids {
		name = binary.AppendUvarint(name, uint64(id))
	}
	if made := s.checked.states[string(name)]; made != nil {
		return made, nil
	}
	tests := boundscheck.Insert(s.raw, ids)
	if s.prog.Debug.Verify {
		if err := kernel.Verify(tests.Func); err != nil {
			return nil, errors.Join(errors.New("after inserting tests of accesses"), err)
		}
	}
	made := newState(s.prog, tests.Func, s.index)
	made.base, made.checks, made.executed, made.wholeGroups = s, tests, s.executed, false
	if s.checked.states == nil {
		s.checked.states = map[string]*state{}
	}
	s.checked.states[string(name)] = made
	return made, nil
}

// checkedOracle returns the kernel as lowered by the front end, with tests of all accesses.
func (s *state) checkedOracle() (*kernel.Func, error) {
	f, err := s.base.lowered()
	if err != nil {
		return nil, err
	}
	s.oracleChecks = boundscheck.Insert(f, boundscheck.Accesses(f))
	return s.oracleChecks.Func, nil
}

// Reporting runs a launch over r, with an argument for the report of the access tests if the
// kernel has any, and returns the violation that they found.
func (k *Kernel) Reporting(r launch.Range, args []launch.Arg, run func(args []launch.Arg) error) error {
	s := k.shared
	if s.checks == nil {
		return run(args)
	}
	report := make([]byte, boundscheck.ReportSize)
	err := run(append(args, launch.Buffer(report)))
	c := s.checks
	if k.cfg.target.Scalar && !k.cfg.counting {
		c = s.oracleChecks
	}
	if c != nil {
		if v := c.Read(report, s.base.launchBounds(r, args)); v != nil {
			return s.violation(v)
		}
	}
	return err
}

// violation returns the fault of an access that is out of bounds.
func (s *state) violation(v *boundscheck.Violation) error { return launch.NewFault(s.name, v.Pos, v) }
