// Package pass defines the compiler's passes and runs lists of them.
//
// A pass is a function over one unit of compilation: a kernel, its lowering for a number of
// lanes, a vector function, or machine code. All lists have the same runner, so that checking,
// printing, measuring and disabling passes work alike in every stage.
package pass

import (
	"fmt"
	"slices"
)

// Stats counts the effects of passes, by name; a nil Stats counts nothing.
type Stats map[string]int

// Add counts n events.
func (s Stats) Add(name string, n int) {
	if s != nil && n != 0 {
		s[name] += n
	}
}

// Pass is a row of a list of passes.
type Pass[T any] struct {
	Name string
	Run  func(T, Stats)
	// Required passes establish a form that later stages depend on. They cannot be disabled.
	Required bool
	// After names passes of the list that must have run before each run of this one.
	After []string
	// Summary is the effect of the pass, in a few words, if docs/optimizations.md does not describe it.
	Summary string
}

// List is the sequence of passes of one stage.
type List[T fmt.Stringer] struct {
	Stage  string // names the stage in messages and qualifies the names of its passes
	Passes []Pass[T]
	// Check verifies a unit.
	Check func(T) error
}

// Run applies the passes to unit in their order. A nil Context has the default settings. The
// error names the pass after which the unit is invalid.
func (l List[T]) Run(unit T, c *Context) error {
	if c == nil {
		c = &Context{}
	}
	for i, p := range l.Passes {
		if !p.Required && c.disabled(l.Stage, p.Name) {
			continue
		}
		finish := c.measure(l.Stage, p.Name)
		p.Run(unit, c.Stats)
		finish()
		if err := done(c, func() Step { return l.step(i) }, unit, l.Check); err != nil {
			return err
		}
	}
	return nil
}

// done prints and checks the result of a pass.
func done[T fmt.Stringer](c *Context, step func() Step, unit T, check func(T) error) error {
	if c.Dump != nil {
		if s := step(); selects(c.DumpAfter, s.Stage, s.Name) {
			c.Dump(s, unit)
		}
	}
	if !c.Verify || check == nil {
		return nil
	}
	if err := check(unit); err != nil {
		return fmt.Errorf("after pass %s: %w", step(), err)
	}
	return nil
}

// Convert runs a step from one form of IR to another.
func Convert[T fmt.Stringer](c *Context, stage, name string, convert func() (T, error), check func(T) error) (T, error) {
	if c == nil {
		c = &Context{}
	}
	finish := c.measure(stage, name)
	unit, err := convert()
	finish()
	if err != nil {
		return unit, err
	}
	return unit, done(c, func() Step { return Step{Stage: stage, Name: name} }, unit, check)
}

// step returns the step of the i-th pass.
func (l List[T]) step(i int) Step {
	n, all := 0, 0
	for j, p := range l.Passes {
		if p.Name == l.Passes[i].Name {
			all++
			if j <= i {
				n++
			}
		}
	}
	if all == 1 {
		n = 0
	}
	return Step{l.Stage, l.Passes[i].Name, n}
}

// Describe lists the passes without their functions.
func (l List[T]) Describe() []Description {
	var out []Description
	for i, p := range l.Passes {
		out = append(out, Description{l.step(i), p.Required, slices.Clone(p.After), p.Summary})
	}
	return out
}

// Description is a pass of a list.
type Description struct {
	Step
	Required bool
	After    []string
	Summary  string
}

// Step identifies a run of a pass.
type Step struct {
	Stage, Name string
	Nth         int // counts the runs of a pass that a list contains several times, from 1; else 0
}

// String formats a step: "vector/control (2)".
func (s Step) String() string {
	if s.Nth == 0 {
		return s.Stage + "/" + s.Name
	}
	return fmt.Sprintf("%s/%s (%d)", s.Stage, s.Name, s.Nth)
}

// Misplaced returns an error for a list of which a pass runs before one of those that it must
// follow, or names one that is missing.
func Misplaced(list []Description) error {
	seen := map[string]bool{}
	for _, d := range list {
		for _, a := range d.After {
			if !seen[d.Stage+"/"+a] && !seen[a] {
				return fmt.Errorf("pass %s must run after %s", d.Step, a)
			}
		}
		seen[d.Stage+"/"+d.Name], seen[d.Name] = true, true
	}
	return nil
}
