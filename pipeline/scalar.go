package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/targets"
)

// Scalars lists the forms of one-lane code.
func Scalars() []string { return targets.Forms() }

// checkScalar returns an error if the form is unknown or the target of c does not support it.
func (c Choice) checkScalar() error {
	switch {
	case c.scalar == "":
		return nil
	case !slices.Contains(Scalars(), c.scalar):
		return fmt.Errorf("invalid scalar code %q: want auto, %s", c.scalar, strings.Join(Scalars(), ", "))
	case c.width > 1:
		return fmt.Errorf("scalar code %[2]q needs width 1, not %[1]d", c.width, c.scalar)
	case !slices.Contains(c.target.Forms, c.scalar):
		return fmt.Errorf("target %s does not support scalar code %q", c.target.Name, c.scalar)
	}
	return nil
}

// errSameCode is returned if another form of one-lane code would be the same.
var errSameCode = errors.New("the same code")

// otherScalarForms lists the other forms of c's one-lane code, to be tried if c, version base, is the
// fastest. The statistics of c's code determine whether they differ: version 0 is compiled,
// and others are by the time they are the fastest.
func (s *state) otherScalarForms(c Choice, base int) (configs []Choice, versions []launch.Version) {
	if c.width != 1 || c.lanes == Iterations || len(c.target.Forms) == 0 {
		return nil, nil
	}
	for _, f := range c.target.Forms[1:] {
		if base == 0 && !s.differs(c, f) {
			continue
		}
		x := c
		x.scalar = f
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

// scalarFormWays lists the strategies with other forms of c's one-lane code, where it differs.
func (s *state) scalarFormWays(c Choice) ([]Strategy, error) {
	if len(c.target.Forms) == 0 {
		return nil, nil
	}
	c, err := s.settle(c)
	if err != nil {
		return nil, err
	}
	if err := s.variant(c).generated(); err != nil {
		return nil, err
	}
	var out []Strategy
	for _, f := range c.target.Forms {
		if s.differs(c, f) {
			w := c.strategy()
			w.Bypass, w.Scalar = "", f
			out = append(out, w)
		}
	}
	return out, nil
}

// differs reports whether the form f would differ from the code of c, which is compiled.
func (s *state) differs(c Choice, f string) bool {
	made := s.variant(c).code
	return made != nil && made.Differs(f)
}
