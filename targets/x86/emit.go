package x86

import (
	"fmt"

	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/targets/mach/layout"
	"github.com/simtc/simtc/targets/mach/regalloc"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// allocateStage is the step of register allocation.
const allocateStage = "allocate"

// statReplicas is the statistic of replication that is part of CodeStats.
const statReplicas = "paths threaded past tests"

// machinePasses run over machine code between register allocation and layout.
var machinePasses = pass.List[*Func]{
	Stage: "machine", Check: (*Func).check,
	Passes: []pass.Pass[*Func]{
		{Name: "replicate", Run: replicate},
		{Name: "peephole", Run: combine},
	},
}

// replicate threads paths past tests whose outcome they determine (layout.Replicate).
//
// requires: physical registers
// maintains: what f computes
func replicate(f *Func, st pass.Stats) { st.Add(statReplicas, layout.Replicate(&f.Func, f.Layout())) }

// combine replaces short sequences of instructions by better ones (peephole).
//
// requires: physical registers
// maintains: what f computes
func combine(f *Func, _ pass.Stats) { peephole(f) }

// Passes lists the steps and passes of Emit for a target in their order.
func Passes(target string) []pass.Description {
	allocate := pass.Description{Step: pass.Step{Stage: allocateStage, Name: target}, Required: true}
	return append([]pass.Description{allocate}, machinePasses.Describe()...)
}

// Emit allocates registers in f, lays it out and assembles it.
//
// requires: c has statistics
func Emit(f *Func, name string, c *pass.Context) (*Code, error) {
	fail := func(err error) error { return fmt.Errorf("%s: %s: %w", f.Target, name, err) }
	var before *Func
	if c.Verify {
		before = f.Clone()
	}
	registers := f.Registers()
	var al *regalloc.Allocation[asm.Inst]
	f, err := pass.Convert(c, allocateStage, f.Target, func() (_ *Func, err error) {
		al, err = regalloc.Allocate(&f.Func, registers)
		return f, err
	}, func(f *Func) error { return regalloc.Verify(&before.Func, &f.Func, al, registers) })
	if err != nil {
		return nil, fail(err)
	}
	code, err := assemble(f, name, al, c)
	if err != nil {
		return nil, fail(err)
	}
	return code, nil
}

// assemble lays out and assembles a function whose registers are allocated.
func assemble(f *Func, name string, al *regalloc.Allocation[asm.Inst], c *pass.Context) (*Code, error) {
	if err := machinePasses.Run(f, c); err != nil {
		return nil, err
	}
	var prologue []asm.Inst
	if al.Stats.SpillBytes > 0 || f.Private {
		prologue = append(prologue, asm.Make(asm.MOV, asm.R14, asm.InMem).Bits(asm.Size64).WithMem(asm.At(asm.RDI, vir.CtxScratch)))
	}
	l := layout.Order(&f.Func, f.Layout(), prologue, layout.Options{SharedDispatch: f.SharedDispatch})
	for _, t := range l.Tables {
		entries := make([]asm.Label, len(t.Entries))
		for k, e := range t.Entries {
			entries[k] = asm.Label(t.Targets[e])
		}
		f.Pool.SetTable(asm.ConstID(t.Table), entries)
	}
	out, err := asm.Assemble(l.Insts, f.Pool, f.encoding())
	if err != nil {
		return nil, err
	}
	code := &Code{
		Name: name, Bytes: out.Bytes, SpillBytes: al.Stats.SpillBytes, Level: out.Level, VNNI: out.VNNI,
		Places: f.Places, spills: al.Spills,
		Stats: f.Stats,
		insts: l.Insts, assembled: out, pool: f.Pool,
	}
	code.Stats.Stats, code.Stats.CodeBytes, code.Stats.Dispatches, code.Stats.Replicas = al.Stats, out.CodeSize, l.Dispatches, c.Stats[statReplicas]
	line := int32(0)
	for i := range code.insts {
		in := &code.insts[i]
		if in.Op.Is(asm.Pseudo) {
			continue
		}
		code.Stats.Instructions++
		if in.Line != 0 && in.Line != line {
			line = in.Line
			code.Lines = append(code.Lines, LineEntry{int(out.Offsets[i]), int(line)})
		}
	}
	return code, nil
}
