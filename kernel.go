package simtc

import (
	"errors"
	"fmt"
	"io"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/pipeline"
)

// Kernel is a kernel of a program with the strategy of the program's options, or that of With.
// Its methods are safe for concurrent use.
type Kernel struct {
	k    *pipeline.Kernel
	prog *Program
	out  io.Writer // for printf; nil discards the output

	threads int // of a launch; 0: one per core
}

// with returns k compiled as c, which is nil if err is not.
func (k *Kernel) with(c *pipeline.Kernel, err error) (*Kernel, error) {
	if err != nil {
		return nil, err
	}
	return k.as(c), nil
}

// as returns k compiled as c.
func (k *Kernel) as(c *pipeline.Kernel) *Kernel { return &Kernel{c, k.prog, k.out, k.threads} }

// With returns the kernel compiled with another strategy, for the same target if s has none.
func (k *Kernel) With(s Strategy) (*Kernel, error) { return k.with(k.k.With(s)) }

// WithOutput returns the kernel with its output redirected to w, as with Options.Printf; nil
// discards it.
func (k *Kernel) WithOutput(w io.Writer) *Kernel { return &Kernel{k.k, k.prog, w, k.threads} }

// WithThreads returns the kernel with launches on n threads, as with Options.Threads.
func (k *Kernel) WithThreads(n int) *Kernel {
	return &Kernel{k.k, k.prog, k.out, min(max(n, 0), MaxThreads)}
}

// Checked returns the kernel with launches that test accesses, as with Options.Checked.
func (k *Kernel) Checked() *Kernel { return k.as(k.k.Checked()) }

// For returns the kernel compiled for ranges like r, completed as by Resolve. A width chosen
// by the compiler fits the rows of the range, or of its work-groups if the kernel depends on
// them. Code for 32-bit ids does not support larger ones, and code for a required work-group
// size does not support smaller groups at the end of a range.
func (k *Kernel) For(r Range) (*Kernel, error) {
	r, err := k.Resolve(r)
	if err != nil {
		return nil, err
	}
	return k.with(k.k.For(r))
}

// ForLaunch returns the kernel as Launch compiles it for a range and arguments: as For does,
// and with tests of those accesses that may be out of bounds where Options.Checked is set. An
// access that is certain to be out of bounds is an error, a *Fault.
func (k *Kernel) ForLaunch(r Range, args ...any) (*Kernel, error) {
	k, _, _, err := k.launching(r, args)
	return k, err
}

// Program returns the program that the kernel belongs to.
func (k *Kernel) Program() *Program { return k.prog }

// Name returns the kernel's name.
func (k *Kernel) Name() string { return k.k.Name() }

// Param describes a parameter of a kernel.
type Param struct {
	Name     string
	Type     string // in OpenCL C syntax: "__global float4 *"
	Typedef  string // the type as declared if it names a typedef, without qualifiers: "vec*"
	Kind     ParamKind
	Elem     string // scalar type of the value or the pointee: "float"; "" for structs and void
	Lanes    int    // vector components of the value or the pointee
	Size     int    // size of the value in bytes; 8 for other kinds
	ReadOnly bool   // the pointee is const
	Restrict bool   // the pointer is restrict
}

// TakesElements reports whether a buffer with elements of the given OpenCL C scalar type may be
// passed for a pointer, by the rule for slices in Launch: elements have the size of the pointee
// and are floating-point if it is, or they are bytes ("uchar").
func (p Param) TakesElements(scalar string) bool { return launch.FitsElement(p.Elem, scalar) }

// ParamKind is the kind of a parameter.
type ParamKind uint8

const (
	ByValue       ParamKind = iota // a number, vector, struct or sampler
	GlobalPointer                  // a pointer to __global or __constant memory: a buffer
	LocalPointer                   // a pointer to __local memory: its size
	ImageParam                     // an image; Param.Elem is its type, such as "image2d_t"
)

// Params lists the kernel's parameters.
func (k *Kernel) Params() []Param {
	args := k.k.Signature().Args
	out := make([]Param, len(args))
	for i, a := range args {
		p := Param{Name: a.Name, Type: a.CType, Typedef: a.Declared, Elem: a.Elem, Lanes: a.Count, Size: a.Size, ReadOnly: a.ReadOnly, Restrict: a.Restrict}
		switch a.Kind {
		case kernel.ArgBuffer:
			p.Kind = GlobalPointer
		case kernel.ArgLocal:
			p.Kind = LocalPointer
		case kernel.ArgImage:
			p.Kind = ImageParam
		}
		out[i] = p
	}
	return out
}

// RequiredGroup returns the work-group size that the kernel requires (reqd_work_group_size); 0 if
// it requires none.
func (k *Kernel) RequiredGroup() [3]int { return k.k.Signature().ReqdWorkGroupSize }

// Hints returns the attributes of the kernel that do not affect how it is compiled, as the source has
// them: "work_group_size_hint(64,1,1)" and "vec_type_hint(float4)".
func (k *Kernel) Hints() []string { return k.k.Signature().Hints }

// RequiredSubGroup returns the sub-group size that the kernel requires; 0 if it requires none.
func (k *Kernel) RequiredSubGroup() int { return k.k.Signature().ReqdSubGroupSize }

// LocalBytes returns the size in bytes of the kernel's local variables, without memory for its
// parameters.
func (k *Kernel) LocalBytes() int { return k.k.LocalBytes() }

// Target returns the name of the kernel's target.
func (k *Kernel) Target() string { return k.k.Target() }

// Available returns the reason why Launch would reject the kernel's options or cannot run its
// code on this processor; nil if it can run.
func (k *Kernel) Available() error { return k.k.Available() }

// Executed returns the number of instructions that launches of the kernel have executed so far,
// with any strategy, if they are emulated (Options.Emulate); otherwise 0.
func (k *Kernel) Executed() uint64 { return k.k.Executed() }

// Strategy returns the kernel's strategy with all choices made. Targets without lanes have no
// linearizer, no bypasses, and no width, unless the kernel uses sub-groups, whose size it is
// then.
func (k *Kernel) Strategy() (Strategy, error) { return k.k.Strategy() }

// Strategies lists the strategies for a target: every linearizer, width and kind of lanes, and the
// forms of one-lane code that differ; bypasses are left to the compiler. Those with lanes along
// another dimension than 0 have a sample of the widths, unless it is the kernel's; those that span rows
// of work-groups are listed for a kernel for a range (For). Widths whose values
// take many registers are listed only if they are the kernel's (Options.Width) or required. A
// target without lanes has one strategy.
func (k *Kernel) Strategies(target string) ([]Strategy, error) { return k.k.Strategies(target) }

// Linearizer returns the name of the linearizer; "" if the target has no lanes or the kernel
// cannot be compiled.
func (k *Kernel) Linearizer() string {
	s, _ := k.Strategy()
	return s.Linearizer
}

// Width returns the number of lanes; 0 if the target has no lanes and the kernel no
// sub-groups.
func (k *Kernel) Width() (int, error) {
	s, err := k.Strategy()
	return s.Width, err
}

// Build compiles the kernel for its target and loads the code. Launch does so if needed.
func (k *Kernel) Build() error {
	if err := k.open(); err != nil {
		return err
	}
	return k.k.Build()
}

// Stats returns the statistics of the passes by name: those over the kernel IR, and, if the
// target has lanes, those over the vector IR and of code generation.
func (k *Kernel) Stats() (map[string]int, error) { return k.k.Stats() }

// ABI returns by name the facts that a caller of the kernel's code needs besides its arguments
// and the launch context (vir.Func.ABI): its memory ("private_bytes", "local_bytes"; for native
// code "spill_bytes", below the private memory), its processor level ("x86_64_level", for native
// code: 3 or 4), its width ("width"), and flags that are 1 if set ("groups", "phases",
// "defers"). Targets without lanes have none.
func (k *Kernel) ABI() (map[string]int, error) { return k.k.ABI() }

// Cost is the estimated cost of a strategy.
type Cost = pipeline.Cost

// Costs estimates the strategies among which the compiler chooses; none for targets without
// lanes.
func (k *Kernel) Costs() ([]Cost, error) { return k.k.Costs() }

// PassCost is the cost of all runs of a pass.
type PassCost = pipeline.PassCost

// PassCosts returns the costs of the passes over the kernel so far, for all its strategies, if
// Options.Debug.Measure is set. Allocations are those of the whole process meanwhile.
func (k *Kernel) PassCosts() []PassCost { return k.k.PassCosts() }

// Resolve completes a range as Launch does, by the work-group size. It returns an error for
// ranges that the kernel does not support.
func (k *Kernel) Resolve(r Range) (Range, error) { return k.k.Resolve(r) }

// Warnings reports the requested choices that the kernel cannot be compiled with, and their
// replacements; nothing for a kernel that cannot be compiled.
func (k *Kernel) Warnings() []Diagnostic {
	var out []Diagnostic
	for _, w := range k.k.Warnings() {
		out = append(out, diagnosticAt(w.Pos, w.Msg))
	}
	return out
}

// open returns ErrClosed if the kernel's program is closed.
func (k *Kernel) open() error {
	if err := k.made(); err != nil {
		return err
	}
	if k.prog.closed.Load() {
		return fmt.Errorf("kernel %s: %w", k.Name(), ErrClosed)
	}
	return nil
}

// made returns an error for a Kernel that was not obtained from a Program.
func (k *Kernel) made() error {
	if k == nil || k.k == nil {
		return errors.New("kernel was not obtained from Program.Kernel")
	}
	return nil
}
