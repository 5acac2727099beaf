package pipeline

import (
	"fmt"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/remarks"
	"github.com/simtc/simtc/targets/avx512"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/vir"
)

// avx512Target is native code.
var avx512Target = target{
	name: AVX512, emit: "asm", widths: []int{1, 4, 8, 16, 32, 64},
	disabledPasses: []string{"countmasks", "edgelanes"}, // masked additions cost no more than others, and one instruction compares all lanes
	costs:          &avx512.Costs, costsByCPU: map[string]*plan.Costs{Zen5: &avx512.CostsZen5, GoldenCove: &avx512.CostsGoldenCove},
	scalarForms: true, oneLane: &avx2, vnni: true, compiled: true, available: nativeAvailable, generate: generateAVX512,
}

// avx2 is the target of one-lane code for processors without AVX-512. It replaces AVX512 when
// launches run on them.
var avx2 = target{
	name: AVX512, emit: "asm", widths: []int{1},
	disabledPasses: []string{"arraycache", "gatherreductions"}, // there are no mask registers and no 64-bit multiplication
	costs:          &avx512.Costs,
	scalarForms:    true, compiled: true, available: nativeAvailable, generate: generateAVX2,
}

// nativeAvailable requires AVX2 for one-lane code and AVX-512 for other code.
func nativeAvailable(opt *Settings, width int) error {
	if opt.Emulate {
		return nil
	}
	level := native.V4
	if width == 1 {
		level = native.V3
	}
	if ok, reason := native.Available(level); !ok {
		return fmt.Errorf("%w: %s", native.ErrUnavailable, reason)
	}
	return nil
}

// nativeForms has the options of each form of one-lane code, and whether its code differs from that
// of the first form, whose statistics are given.
var nativeForms = map[string]struct {
	options avx512.Options
	differs func(x86.CodeStats) bool
}{
	Threaded: {avx512.Options{}, func(x86.CodeStats) bool { return false }},
	Switch:   {avx512.Options{SharedDispatch: true}, func(s x86.CodeStats) bool { return s.Dispatches > 0 }},
	Selects:  {avx512.Options{KeepSelects: true}, func(s x86.CodeStats) bool { return s.Branched > 0 }},
}

// nativeCode is machine code for AVX-512, or for AVX2.
type nativeCode struct {
	*x86.Code
	of *state
}

func generateAVX512(v *variant, f *vir.Func) (code, error) {
	options := nativeForms[v.k.cfg.scalarForm()].options
	options.GathersFast = gathersFast(v.k.shared.prog.Processor)
	options.VNNI = v.k.cfg.vnni
	return generateNative(v, f, options)
}

func generateAVX2(v *variant, f *vir.Func) (code, error) {
	options := nativeForms[v.k.cfg.scalarForm()].options
	options.V3 = true
	return generateNative(v, f, options)
}

func generateNative(v *variant, f *vir.Func, options avx512.Options) (code, error) {
	options.Context = v.passes()
	c, err := avx512.Compile(f, options)
	if err != nil {
		return nil, err
	}
	return nativeCode{c, v.k.shared}, nil
}

func (c nativeCode) executor(p launch.Program) (launch.Executor, error) {
	opt := &c.of.prog.Settings
	level := native.Level(c.Level)
	if c.VNNI {
		level = native.VNNI
	}
	present, _ := native.Present(level) // false if the level is only assumed
	if present && !opt.Emulate {
		return launch.NewNative(p, native.Image{Text: c.Bytes, Entries: []int{c.Entry}, Level: level}, c.At, c.SpillBytes)
	}
	code, err := c.Emulation()
	if err != nil {
		return nil, err
	}
	return launch.NewEmulated(p, code, c.Places, c.SpillBytes, opt.MaxSteps, c.of.executed), nil
}

// count adds the statistics of code generation.
func (c nativeCode) count(stats pass.Stats) {
	stats.Add("dispatches duplicated", c.Stats.Dispatches)
	stats.Add("gathers of all lanes as single loads", c.Stats.Singly)
	stats.Add("selects turned into branches", c.Stats.Branched)
	stats.Add("paths threaded past tests", c.Stats.Replicas)
}

func (c nativeCode) abi() vir.ABI { return c.ABI() }

func (c nativeCode) differs(form string) bool { return nativeForms[form].differs(c.Stats) }

func (c nativeCode) compiler() string { return "" }

func (c nativeCode) spills() []remarks.Spills {
	var out []remarks.Spills
	for _, s := range c.Code.Spills {
		out = append(out, remarks.Spills{At: s.At, Depth: s.Depth, Strip: s.Strip, Stores: s.Stores, Reloads: s.Reloads})
	}
	return out
}

// nativeCodes compiles kernels for AVX-512.
func nativeCodes(ks []*Kernel) ([]*x86.Code, error) {
	return forEachKernel(ks, func(k *Kernel) (*x86.Code, error) {
		v, err := k.variant()
		if err != nil {
			return nil, err
		}
		if err := v.generated(); err != nil {
			return nil, err
		}
		return v.code.(nativeCode).Code, nil
	})
}

func emitASM(p *Program, ks []*Kernel) ([]byte, error) {
	codes, err := nativeCodes(ks)
	if err != nil {
		return nil, err
	}
	texts := diag.NewTexts(p.Source)
	return []byte(x86.Listing(codes, func(line diag.Pos) string { return texts.Comment(line, p.File) })), nil
}

func emitObject(p *Program, ks []*Kernel) ([]byte, error) {
	codes, err := nativeCodes(ks)
	if err != nil {
		return nil, err
	}
	return x86.Object(codes, p.dataOf())
}

func emitGoAssembly(p *Program, ks []*Kernel) ([]byte, error) {
	codes, err := nativeCodes(ks)
	if err != nil {
		return nil, err
	}
	text, err := x86.GoAssembly(codes, p.dataOf())
	return []byte(text), err
}
