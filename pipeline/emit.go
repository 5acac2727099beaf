package pipeline

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/iterations"
	"github.com/simtc/simtc/targets"
	"github.com/simtc/simtc/vir"
)

// emitter produces one kind of output for kernels of a program.
type emitter struct {
	kind    string
	about   string
	targets []*targets.Target // the targets of this kind of output; empty: any
	emit    func(p *Program, ks []*Kernel) ([]byte, error)
}

var emitters []emitter

func init() {
	emitters = []emitter{
		{"ast", "the typed syntax tree", nil, emitAST},
		{"kernel", "the scalar IR of one work-item", nil, emitKernel},
		{"divergence", "the scalar IR with the shape of every value", nil, eachKernel(emitDivergence)},
		{"loops", "for each loop its exits, dependences and vector form, and the shapes of values if its iterations were the lanes", nil, eachKernel(emitLoops)},
		{"joins", "the linear order of the blocks, JOIN points and masks", nil, eachKernel(emitJoins)},
		{"vir", "the masked vector IR", nil, eachKernel(emitVIR)},
		{"dot", "the control-flow graph for Graphviz", nil, eachKernel(emitDot)},
	}
	for _, t := range allTargets {
		for _, o := range t.Outputs {
			i := slices.IndexFunc(emitters, func(e emitter) bool { return e.kind == o.Kind })
			if i < 0 {
				i = len(emitters)
				emitters = append(emitters, emitter{o.Kind, o.About, nil, func(p *Program, ks []*Kernel) ([]byte, error) { return p.emitCode(t, o.Kind, ks) }})
			}
			emitters[i].targets = append(emitters[i].targets, t)
		}
	}
	emitters = append(emitters,
		emitter{"plan", "the candidate plans and their costs", nil, eachKernel(emitPlan)},
		emitter{"passes", "the ordered list of passes", nil, emitPasses},
		emitter{"signature", "the kernels' parameters and attributes as JSON", nil, emitSignature})
}

// EmitKind describes a kind of output.
type EmitKind struct {
	Name    string
	About   string
	Targets []string // the targets of this kind of output; empty for all targets
}

// EmitKinds lists the kinds of output.
func EmitKinds() []EmitKind {
	var out []EmitKind
	for _, e := range emitters {
		k := EmitKind{Name: e.kind, About: e.about}
		for _, t := range e.targets {
			k.Targets = append(k.Targets, t.Name)
		}
		out = append(out, k)
	}
	return out
}

// Shown returns the kernel that Emit shows, so that Stats and Remarks describe that code.
func (k *Kernel) Shown(kind string) (*Kernel, error) {
	e, err := emitterOf(kind)
	if err != nil {
		return nil, err
	}
	return e.shown(k), nil
}

func emitterOf(kind string) (emitter, error) {
	var names []string
	for _, e := range emitters {
		if e.kind == kind {
			return e, nil
		}
		names = append(names, e.kind)
	}
	return emitter{}, fmt.Errorf("unknown emit kind %q: want one of %s", kind, strings.Join(names, ", "))
}

// shown returns the kernel as the emitter shows it.
func (e emitter) shown(k *Kernel) *Kernel {
	if len(e.targets) == 0 {
		return k
	}
	c := k.cfg
	if !slices.Contains(e.targets, c.target) {
		c.target = e.targets[0]
	}
	c.overlap = !k.shared.prog.NoAlias // the callers are unknown
	c.unknownSizes = true
	c.vnni = false // so is the processor
	return &Kernel{k.shared, c}
}

// Emit returns kernels at some stage of the compilation: see EmitKinds. Kinds of a target show
// the code for that target, and for buffers that may overlap unless Settings.NoAlias is set.
func (p *Program) Emit(kind string, ks []*Kernel) ([]byte, error) {
	e, err := emitterOf(kind)
	if err != nil {
		return nil, err
	}
	shown := make([]*Kernel, len(ks))
	for i, k := range ks {
		shown[i] = e.shown(k)
	}
	return e.emit(p, shown)
}

// emitCode shows the code of kernels, which have the same target: t if there are none.
func (p *Program) emitCode(t *targets.Target, kind string, ks []*Kernel) ([]byte, error) {
	if len(ks) > 0 {
		t = ks[0].cfg.target
	}
	vs, err := forEachKernel(ks, func(k *Kernel) (*variant, error) {
		v, err := k.variant()
		if err == nil {
			err = v.generated()
		}
		return v, err
	})
	if err != nil {
		return nil, err
	}
	codes := make([]targets.Code, len(vs))
	for i, v := range vs {
		codes[i] = v.code
	}
	o := t.Outputs[slices.IndexFunc(t.Outputs, func(o targets.Output) bool { return o.Kind == kind })]
	text, err := o.Emit(codes, targets.Program{File: p.File, Texts: diag.NewTexts(p.Source), Data: p.dataOf(), RelaxedSIMD: p.RelaxedSIMD})
	var limit *targets.LimitError
	if errors.As(err, &limit) {
		i := slices.IndexFunc(vs, func(v *variant) bool { return v.k.Name() == limit.Func })
		if err := ks[i].shared.narrow(ks[i].cfg, vs[i].k.cfg, err); err != nil {
			return nil, err
		}
		return p.emitCode(t, kind, ks)
	}
	return text, err
}

// eachKernel concatenates the outputs for single kernels.
func eachKernel(emit func(*Kernel) (string, error)) func(*Program, []*Kernel) ([]byte, error) {
	return func(_ *Program, ks []*Kernel) ([]byte, error) {
		texts, err := forEachKernel(ks, emit)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		for i, text := range texts {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(text)
			if !strings.HasSuffix(text, "\n") {
				b.WriteByte('\n')
			}
		}
		return b.Bytes(), nil
	}
}

func emitAST(p *Program, _ []*Kernel) ([]byte, error) {
	if p.IsIR {
		return nil, fmt.Errorf("%s is kernel IR and has no syntax tree", p.File)
	}
	return p.Syntax()
}

func emitKernel(p *Program, ks []*Kernel) ([]byte, error) {
	fs, err := forEachKernel(ks, func(k *Kernel) (*kernel.Func, error) { return k.shared.prepared() })
	if err != nil {
		return nil, err
	}
	m := kernel.Module{Data: p.Module.Data, Funcs: fs}
	return []byte(m.String()), nil
}

func emitDivergence(k *Kernel) (string, error) {
	info, _, err := k.divergence()
	if err != nil {
		return "", err
	}
	return info.String(), nil
}

// emitLoops prints for each loop whether and how its iterations can run as lanes, and the
// divergence analysis if they do.
func emitLoops(k *Kernel) (string, error) {
	info, width, err := k.divergence()
	if err != nil {
		return "", err
	}
	f := info.Func
	if !k.shared.prog.IsIR {
		if f, err = k.shared.prepared(); err != nil {
			return "", err
		}
	}
	o := k.cfg.iterationOptions()
	o.Width = max(width, 2)
	var b strings.Builder
	for _, d := range iterations.Describe(f, o) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "loop %s of kernel %s", kernel.Label(d.Header), k.Name())
		if d.Header.Pos.IsValid() {
			fmt.Fprintf(&b, ", %s", d.Header.Pos)
		}
		fmt.Fprintf(&b, "\n  trip count: %s\n", d.Trips)
		for _, x := range d.Exits {
			fmt.Fprintf(&b, "  exit %s\n", x)
		}
		for _, c := range d.Carried {
			fmt.Fprintf(&b, "  dependence: %s\n", c)
		}
		if d.Refusal != "" {
			fmt.Fprintf(&b, "  not vectorized: %s\n", d.Refusal)
		} else {
			fmt.Fprintf(&b, "  iterations as lanes: %s\n", d.Form)
		}
		for _, depth := range d.Depths {
			fmt.Fprintf(&b, "  candidate:%s\n", Choice{lanes: Iterations, loopDepth: depth}.lanesLabel())
		}
		lanes, err := divergence.AnalyzeLoop(f, d.Header, divergence.Options{Width: width})
		if err != nil {
			fmt.Fprintf(&b, "  no analysis: %v\n", err)
			continue
		}
		fmt.Fprintf(&b, "%s", lanes)
	}
	if b.Len() == 0 {
		fmt.Fprintf(&b, "kernel %s has no loop\n", k.Name())
	}
	return b.String(), nil
}

// divergence returns the analysis of the kernel as it is compiled, and its width. For kernel IR
// it analyzes the graph as written, which is the one that its author wants to see.
func (k *Kernel) divergence() (*divergence.Info, int, error) {
	v, err := k.diverging()
	if err != nil {
		return nil, 0, err
	}
	width := v.cfg.width
	if !k.shared.prog.IsIR {
		return v.shapes, width, nil
	}
	written, err := k.shared.lowered()
	if err != nil {
		return nil, 0, err
	}
	f := kernel.Clone(written)
	opt.RemoveUnreachable(f, nil)
	for _, p := range opt.Canonicalize {
		p.Run(f, nil)
	}
	return divergence.Analyze(f, divergence.Options{Width: width}), width, nil
}

func emitJoins(k *Kernel) (string, error) {
	v, err := k.diverging()
	if err != nil {
		return "", err
	}
	text, err := v.cfg.linearizer.explain(v.lowering)
	if err == nil && v.deferred.kernel != nil {
		var later string
		later, err = v.cfg.linearizer.explain(v.deferred.lowering)
		text += "deferred part:\n" + later
	}
	return fmt.Sprintf("kernel %s, %s\n%s", k.Name(), v.cfg.label(), text), err
}

func emitVIR(k *Kernel) (string, error) {
	v, err := k.analyzed()
	if err != nil {
		return "", err
	}
	f, err := v.finished()
	if err != nil {
		return "", err
	}
	return f.String(), nil
}

// analyzed returns the kernel's linearized variant. Targets without lanes use that of another
// target.
func (k *Kernel) analyzed() (*variant, error) {
	v, err := k.settled()
	if err == nil {
		_, err = v.linearized()
	}
	return v, err
}

// diverging is analyzed for output about divergence, which one lane does not have: if the
// compiler chooses width 1, it uses as many lanes as fill a register.
func (k *Kernel) diverging() (*variant, error) {
	v, err := k.settled()
	if err != nil {
		return nil, err
	}
	if k.cfg.width == 0 && v.k.cfg.width == 1 {
		if c, ok := k.shared.vectorChoice(v.k.cfg, k.cfg.linearizer == nil); ok {
			v = k.shared.variant(c)
		}
	}
	_, err = v.linearized()
	return v, err
}

// vectorChoice returns c, a settled Choice of one lane, with as many lanes as fill a register, and
// with another linearizer if that is free and the control flow needs it.
func (s *state) vectorChoice(c Choice, free bool) (_ Choice, ok bool) {
	c.width, c.scalar = c.target.Costs.Lanes, ""
	if c.linearizer.fits(s.irreducible, c.width) {
		return c, true
	}
	for _, l := range linearizers {
		if free && l.fits(s.irreducible, c.width) {
			c.linearizer, c.bypass = l, l.forms[0].bypass
			return c, true
		}
	}
	return c, false
}

func emitDot(k *Kernel) (string, error) {
	info, _, err := k.divergence()
	if err != nil {
		return "", err
	}
	return dot(k.Name(), info)
}

// DOT attributes of blocks with a divergent branch, and of other blocks where lanes may
// reconverge.
const divergentColor, joinColor = "color=red", "color=blue"

// dot draws the graph of a kernel, with a legend.
func dot(name string, info *divergence.Info) (string, error) {
	f := info.Func
	g := f.Graph()
	var b bytes.Buffer
	err := g.WriteDOT(&b, cfg.DOT{
		Name: name,
		Label: func(i int) string {
			var t strings.Builder
			fmt.Fprintf(&t, "%s:\n", kernel.Head(f.Blocks[i]))
			for _, v := range f.Blocks[i].Values {
				fmt.Fprintf(&t, "%s\n", kernel.FormatValue(v))
			}
			fmt.Fprintf(&t, "%s\n", kernel.FormatTerm(f.Blocks[i]))
			return t.String()
		},
		Attrs: func(i int) string {
			switch {
			case info.Divergent[i]:
				return divergentColor
			case info.Joins[i] || info.Temporal[i]:
				return joinColor
			}
			return ""
		},
		Cycles: cfg.Cycles(g),
		Legend: []cfg.LegendEntry{
			{Text: "ends in a divergent branch", Attrs: divergentColor},
			{Text: "lanes may reconverge here", Attrs: joinColor},
			{Text: "any other block, with its parameters: values at its incoming edges"},
			{Text: "frame: a cycle, dashed if it has several entries; bold: its back edges", Attrs: "shape=plaintext"},
		},
	})
	return b.String(), err
}

// dataOf lays out the program's data as one object, variables last.
func (p *Program) dataOf() vir.Data {
	data := p.Module.Data
	out := vir.Data{Align: kernel.AddressSize}
	var order, at = []int{}, make([]int, len(data))
	end := kernel.AddressSize * len(data)
	place := func(i int) {
		align := data[i].Align
		out.Align = max(out.Align, align)
		at[i] = (end + align - 1) / align * align
		end = at[i] + len(data[i].Bytes)
		order = append(order, i)
	}
	for i, d := range data {
		if !d.Variables {
			place(i)
		}
	}
	if len(data) > 0 && data[0].Variables {
		place(0)
		out.Variables = at[0]
	}
	out.Bytes = make([]byte, end)
	address := func(where, x int) {
		binary.LittleEndian.PutUint64(out.Bytes[where:], uint64(x))
		out.Addresses = append(out.Addresses, where)
	}
	for i := range data {
		address(kernel.AddressSize*i, at[i])
	}
	for _, i := range order {
		copy(out.Bytes[at[i]:], data[i].Bytes)
		for _, a := range data[i].Addresses {
			address(at[i]+a.At, at[a.Data]+int(a.Plus))
		}
	}
	return out
}
