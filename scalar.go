package simtc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/targets/avx512"
)

// How code of one lane trusts what processors guess. Which is the fastest depends on the
// data more than on the kernel: the first mostly is, and launches try the others where
// that is the fastest of all ways and they would differ.
const (
	// Threaded copies what an interpreter does to go on, a jump through a table, to where
	// each operation ends, and makes selects that steer a loop branches.
	Threaded = "threaded"
	// Switch has that jump in one place: better where what comes next is a toss, as with
	// programs that are short and as many as there are work-items.
	Switch = "switch"
	// Selects leaves selects what they are.
	Selects = "selects"
)

// scalarForm is a form of code of one lane.
type scalarForm struct {
	name    string
	options avx512.Options
	differs func(avx512.CodeStats) bool // from the first form, with the stats of that
}

// scalarForms lists the forms, the one that is made unless told otherwise first.
var scalarForms = []scalarForm{
	{Threaded, avx512.Options{}, func(avx512.CodeStats) bool { return false }},
	{Switch, avx512.Options{SharedDispatch: true}, func(s avx512.CodeStats) bool { return s.Dispatches > 0 }},
	{Selects, avx512.Options{KeepSelects: true}, func(s avx512.CodeStats) bool { return s.Branched > 0 }},
}

// Scalars lists the forms that code of one lane may have.
func Scalars() []string {
	var names []string
	for _, f := range scalarForms {
		names = append(names, f.name)
	}
	return names
}

// scalarForm looks the form of c up.
func (c config) scalarForm() scalarForm {
	if i := slices.IndexFunc(scalarForms, func(f scalarForm) bool { return f.name == c.scalar }); i >= 0 {
		return scalarForms[i]
	}
	return scalarForms[0]
}

// checkScalar reports a form that is none, or that the target of c does not have.
func (c config) checkScalar() error {
	switch {
	case c.scalar == "":
		return nil
	case !slices.Contains(Scalars(), c.scalar):
		return fmt.Errorf("scalar code cannot be %q; there are auto, %s", c.scalar, strings.Join(Scalars(), ", "))
	case c.width > 1:
		return fmt.Errorf("scalar code is that of one lane; that of width %d cannot be %q", c.width, c.scalar)
	case !c.target.scalarForms:
		return fmt.Errorf("target %s has scalar code of one form, not %q", c.target.name, c.scalar)
	}
	return nil
}

// errSameCode says that another form of scalar code would be the same.
var errSameCode = errors.New("the same code")

// otherForms lists the other forms of scalar code c, to be tried where the version with
// number base, which is c, is the fastest. Whether they differ is told by its code: that
// of version 0 is made, that of others is by then.
func (s *kernelState) otherForms(c config, base int) (configs []config, versions []launch.Version) {
	if c.width != 1 || c.lanes == Rounds || !c.target.scalarForms {
		return nil, nil
	}
	for _, f := range scalarForms[1:] {
		if base == 0 && !s.differs(c, f) {
			continue
		}
		x := c
		x.scalar = f.name
		configs = append(configs, x)
		versions = append(versions, launch.Version{Kind: c.kind(), After: base, Make: func() (launch.Executor, error) {
			if !s.differs(c, f) {
				return nil, errSameCode
			}
			return s.settledExecutor(x)
		}})
	}
	return configs, versions
}

// formWays lists the ways that have scalar code in other forms than c, where it differs.
func (s *kernelState) formWays(c config) ([]Way, error) {
	if !c.target.scalarForms {
		return nil, nil
	}
	c, err := s.settle(c)
	if err != nil {
		return nil, err
	}
	if err := s.variant(c).generated(); err != nil {
		return nil, err
	}
	var out []Way
	for _, f := range scalarForms {
		if s.differs(c, f) {
			w := c.way()
			w.Bypass, w.Scalar = "", f.name
			out = append(out, w)
		}
	}
	return out, nil
}

// differs reports whether the code of c, which is made, is not what the form f would be.
func (s *kernelState) differs(c config, f scalarForm) bool {
	made, ok := s.variant(c).code.(nativeCode)
	return ok && f.differs(made.Stats)
}
